"""The study of programs that share a machine: Dokulil and Benkner, Adaptive scheduling of colocated applications using
a task-based runtime system."""
