/**
 * Statements of Junos as a tree, and their two layouts: braces, and a line of "set" for each path.
 * Source: Junos CLI User Guide ("show configuration", "| display set").
 */
export interface Statement {
  /** "code-point 011010". */
  readonly words: string
  /** Values that stand together: in brackets, or each in a line. */
  readonly values?: readonly (number | string)[]
  /** Settings that share a line in braces: "queue-num 4", "no-loss". */
  readonly beside?: readonly string[]
  readonly inside?: readonly Statement[]
}

export const leaf = (words: string): Statement => ({ words })

/** A block; none where nothing is in it. */
export const block = (words: string, ...inside: readonly (readonly Statement[])[]): Statement[] => {
  const all = inside.flat()
  return all.length === 0 ? [] : [{ words, inside: all }]
}

/** A setting; none where its value is unknown. */
export const setting = (words: string, value: number | string | undefined): Statement[] =>
  value === undefined ? [] : [leaf(`${words} ${value}`)]

/** A text in one word. */
export const quoted = (text: string): string =>
  /^[\w.:/-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

const INDENT = '    '

export function bracesOf(statements: readonly Statement[], indent = ''): string {
  return statements
    .map(({ words, values = [], beside = [], inside = [] }) => {
      const list = values.length > 1 ? [`[ ${values.join(' ')} ]`] : values
      const head = [words, ...list, ...beside].join(' ')
      if (inside.length === 0) return `${indent}${head};\n`
      return `${indent}${head} {\n${bracesOf(inside, indent + INDENT)}${indent}}\n`
    })
    .join('')
}

export function setLinesOf(statements: readonly Statement[], before = 'set'): string {
  return statements
    .map(({ words, values = [], beside = [], inside = [] }) => {
      const own = `${before} ${words}`
      if (inside.length > 0) return setLinesOf(inside, own)
      const ends = [...values, ...beside]
      return ends.length === 0 ? `${own}\n` : ends.map((end) => `${own} ${end}\n`).join('')
    })
    .join('')
}
