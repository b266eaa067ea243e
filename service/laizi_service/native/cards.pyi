"""Cards of Dou Dizhu in messages, read and written without the interpreter: see ``cards.pxd``.

It reads codes, and texts of ranks with suits for all or for none (``33347``, ``7h 7d``).
"""
