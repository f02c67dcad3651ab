/** Cells of a table that stands in the source as text: a row a line, cells apart by bars. */
export function textRows(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(/ +\| +/))
}
