"""Pure metric functions on lists of strings, ids or arrays: no lighteval, no input or output."""
