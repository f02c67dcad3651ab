import { expect, test } from 'vitest'
import { escapeControls, hasControls, hasControlsInLines, HEADING_MAX, shownName } from './control-characters.ts'
import { formatIssue } from './issue.ts'

const CLEAR = '\u001B[2J'

test('controls are those of ASCII and of eight bits; texts of several lines may have tabs and line feeds', () => {
  for (const text of [CLEAR, '\u0000', '\r', '\u007F', '\u009B2J']) {
    expect([hasControls(text), hasControlsInLines(text)]).toEqual([true, true])
    expect(hasControls(escapeControls(text))).toBe(false)
  }
  expect(escapeControls(`${CLEAR}a\n\u009B`)).toBe('\\u001b[2Ja\n\\u009b')
  expect([hasControls('a\nb\t'), hasControlsInLines('a\nb\t')]).toEqual([true, false])
  expect(hasControls('µ ä 日本 \u{1F600}')).toBe(false)
})

test('a message shows the control characters of a name by number', () => {
  const message = formatIssue({ path: `a.${CLEAR}`, file: CLEAR, expected: 'x', received: '\u009B', hint: '' })
  expect(message).toBe('\\u001b[2J: a.\\u001b[2J: expected x, received \\u009b')
})

test('characters that change the direction of text are shown by their numbers', () => {
  expect(escapeControls('a\u202Eb\u2066\u200F')).toBe(String.raw`a\u202eb\u2066\u200f`)
  // A name in a script from right to left has none.
  expect(escapeControls('\u05D0\u05D1')).toBe('\u05D0\u05D1')
})

test('a long name is shown without its middle, a short one as it is', () => {
  expect(shownName('a'.repeat(60))).toBe('a'.repeat(60))
  const shown = shownName(`first${'a'.repeat(3000)}last`)
  expect(shown).toHaveLength(60)
  expect(shown).toMatch(/^firsta+…a+last$/)
  expect(shownName('b'.repeat(300), HEADING_MAX)).toHaveLength(HEADING_MAX)
})
