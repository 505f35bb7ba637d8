"""What the other packages build on.

`VectorSpace` (`space`) · `Call`: a function with its arguments (`call`) · `Recipe`: how to get a space (`recipe`) ·
tables of methods and their options (`options`) · saved folders (`store`) · progress, texts for people, the device, and
the limits and login of a server.
"""
