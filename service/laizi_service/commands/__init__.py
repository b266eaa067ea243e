"""The commands of ``laizi``, a module for each group. Each builds requests of the contract and shows the responses."""
