"""The addresses that the service answers, by what they are about."""
