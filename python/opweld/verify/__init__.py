"""`opweld verify`: proves an operator right, or shows the smallest call with which it is wrong."""
