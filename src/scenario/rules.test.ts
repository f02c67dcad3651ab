import { expect, test } from 'vitest'
import { parseScenario } from './index.ts'

const TEXT = `name: pair
topology: {kind: star, hosts: 2}
workload: [{kind: incast, senders: 1, sizeEach: 1KB}]
`

/** What is wrong with an input buffer; nothing where it is sound. */
function mistakeOf(portBuffer: string, xoff: string, xonOffset: string): string {
  const buffer = `switch.buffer={kind: input-queued, portBuffer: ${portBuffer}, xoff: ${xoff}, xonOffset: ${xonOffset}}`
  try {
    parseScenario(TEXT, { sets: [buffer] })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('an input buffer pauses when it is full at the latest, wherever it resumes', () => {
  expect(mistakeOf('240KB', '240KB', '0B')).toBe('')
  expect(mistakeOf('240KB', '240KB', '240KB')).toBe('')
  for (const xonOffset of ['0B', '1B', '100KB', '240KB']) {
    expect(mistakeOf('240KB', '240001B', xonOffset)).toContain(
      'switch.buffer.xoff: expected at most portBuffer, 240KB, received 240001B',
    )
  }
})

test('an input buffer resumes when it is empty at the latest', () => {
  expect(mistakeOf('240KB', '200KB', '200KB')).toBe('')
  expect(mistakeOf('240KB', '200KB', '200001B')).toContain(
    'switch.buffer.xonOffset: expected at most xoff, 200KB, received 200001B',
  )
})

test.each([
  [
    'switch.buffer={kind: input-queued, portBuffer: 3KB}',
    'switch.buffer.xoff: expected at most portBuffer, 3KB, received 220KB (xoff is 220KB where it is not given: set switch.buffer.xoff too, such as 1.5KB, which leaves 1.5KB for what arrives after XOFF)',
  ],
  [
    'switch.buffer={kind: shared-buffer, size: 3KB, egressReserve: 0B}',
    'switch.buffer.reserve: expected at most the whole buffer, 3KB, received 4KiB (4KiB where it is not given: set it too)',
  ],
])('a default that %s breaks is named, with what to set', (buffer, message) => {
  expect(() => parseScenario(TEXT, { sets: [buffer] })).toThrow(message)
})
