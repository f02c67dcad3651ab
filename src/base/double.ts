/**
 * A zero for fields that will hold times, rates or orders. The engine stores a field as what it held first: a field
 * that starts as 0 is taken for a small integer and later needs a heap number for each value beyond; one that starts
 * as -0 is a double in place from the first day. Arithmetic and comparisons do not tell the two apart.
 */
export const DOUBLE_ZERO = -0
