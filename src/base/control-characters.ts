/**
 * Control characters: characters that a terminal obeys instead of showing. Names may not contain them, and messages show
 * them by number. Tab and line feed count as white space in texts of several lines.
 */
const CONTROLS = /[^\P{Cc}\t\n]/gu

/** Whether a text has control characters, in one line: tab and line feed are among them. */
export function hasControls(line: string): boolean {
  return /\p{Cc}/u.test(line)
}

/** Whether a text of several lines has control characters. */
export function hasControlsInLines(text: string): boolean {
  return text.search(CONTROLS) >= 0
}

/** The text with the numbers of its control characters: `\u001b[2J`. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (control) => String.raw`\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
