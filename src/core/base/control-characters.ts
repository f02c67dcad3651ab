/**
 * Control characters: characters that a terminal obeys instead of showing. Names may not contain them, and messages show
 * them by number, as they do those that change the direction of the text behind them. Tab and line feed count as white space
 * in texts of several lines.
 */
const CONTROLS = /[^\P{Cc}\t\n]/gu
const DIRECTION_MARKS = /\p{Bidi_Control}/gu

/** Whether a text has control characters, in one line: tab and line feed are among them. */
export function hasControls(line: string): boolean {
  return /\p{Cc}/u.test(line)
}

/** Whether a text of several lines has control characters. */
export function hasControlsInLines(text: string): boolean {
  return text.search(CONTROLS) >= 0
}

/** The text with the numbers of its control characters and marks of direction: `\u001b[2J`. */
export function escapeControls(text: string): string {
  const numberOf = (control: string): string => String.raw`\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replace(CONTROLS, numberOf).replace(DIRECTION_MARKS, numberOf)
}

/** Most characters of a name in a table or a legend. */
const SHOWN_MAX = 60
/** Room of a heading. */
export const HEADING_MAX = 200
/** Characters that stay behind a gap. */
const LAST = 15

/** A name of any length in `most` characters: a longer one without its middle. */
export function shownName(name: string, most: number = SHOWN_MAX): string {
  const characters = Array.from(escapeControls(name))
  if (characters.length <= most) return characters.join('')
  return `${characters.slice(0, most - LAST - 1).join('')}…${characters.slice(-LAST).join('')}`
}
