import { expect, test } from 'vitest'
import { escapeControls, hasControls, hasControlsInLines } from './control-characters.ts'
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
