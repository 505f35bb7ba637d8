"""Vector spaces, calls, recipes, options, saved folders, statistics, and the settings of a server.

`VectorSpace` (`space`) · `Call`: a function with its arguments (`call`) · `Recipe`: how to get a space (`recipe`) ·
tables of methods and their options (`options`) · saved folders (`store`) · statistics (`stats`) · progress reports ·
numbers and lists as English text (`phrases`) · the CPU or graphics card · limits, password and login of a server.
"""
