"""Admission control: connection limits, the fair queue and trusted proxies."""
