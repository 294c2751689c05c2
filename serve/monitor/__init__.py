"""Monitoring in three levels: live, daily and hourly, and the gate; alerts and the way back."""
