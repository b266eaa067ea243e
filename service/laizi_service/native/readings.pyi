"""The texts of readings, such as ``pair:7:1``, read and written without the interpreter: see ``readings.pxd``."""
