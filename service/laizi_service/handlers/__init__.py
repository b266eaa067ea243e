"""What each service answers: one module a service, each a class whose methods are named like the RPCs."""
