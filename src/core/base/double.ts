/**
 * A zero for fields that will hold times, rates or orders. V8 chooses the representation of a field by its first value: a
 * field that starts as 0 is a small integer and later needs a heap number for each larger value; one that starts as -0 is
 * an unboxed double from the start. Arithmetic and comparisons treat both alike.
 */
export const DOUBLE_ZERO = -0
