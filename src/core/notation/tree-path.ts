/** Path of a value in a tree: names of keys and indexes of lists. */
export type TreePath = readonly (string | number)[]
