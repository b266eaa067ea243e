"""The stateless gRPC service over laizi, and its command line."""
