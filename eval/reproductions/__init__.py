"""The source documents' claims measured in small, on the shipped manuals and questions; where one does not hold, it is said."""
