"""The coalescing poster's questions: how many parcels should travel together, and can a program find that out?

Wagle, Kellar, Serio and Kaiser, "Methodology for Adaptive Active Message Coalescing in Task Based Runtime Systems",
2018.
"""
