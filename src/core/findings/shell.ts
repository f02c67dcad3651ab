/**
 * Shell: words of command lines that people copy. Names that come from files are hostile until they are checked.
 */

/** A word of a shell's command line, quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Whether a command line of any device takes a name as one word, and as no option. */
export function isPlainName(name: string): boolean {
  return /^(?!-)[\w.:/@-]+$/.test(name)
}
