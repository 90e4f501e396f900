"""Who calls, how much each caller may use, and how calls are refused."""
