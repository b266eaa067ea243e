"""Who pays whom, and why: exact amounts, each with the factors that lead to it and the clauses behind them."""
