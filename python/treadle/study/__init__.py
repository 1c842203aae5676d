"""Measurements that repeat what a paper measured, on this machine: CSV and a page with figures."""
