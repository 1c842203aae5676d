"""The priority paper's measurements: Cholesky and merge sort, whose critical tasks get workers of their own or go
first.

Jiang et al., "Task Priority Control for the HPX Runtime System", IPDPS workshops 2020.
"""
