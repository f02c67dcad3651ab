/**
 * Groups: origins of one kind and tier are one group, and none of them is left out of the data.
 */
import { describe, expect, test } from 'vitest'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import { type Located, locate, locatedText } from './index.ts'
import { Story, twoTier } from './story.test-data.ts'

/** Frames with errors that each leaf receives from two of its hosts, and spine 0 from leaf 0. */
function manyErrors(): Located {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  for (const leaf of [0, 1, 2])
    for (const port of ['1', '2']) story.addAt(1, `leaf ${leaf}`, port, ALL_PRIORITIES, 'crcErrors', 40 + leaf)
  story.addAt(1, 'spine 0', '1', ALL_PRIORITIES, 'crcErrors', 500)
  return locate(story.edges, story.readings())
}

/** Heads of the blocks of a text. */
const blocks = (text: string): number => text.split('\n').filter((line) => /^(\d+\.|-) /.test(line)).length

describe('origins', () => {
  const located = manyErrors()

  test('of one kind are a group at each tier, the worst first', () => {
    expect(located.origins).toHaveLength(7)
    expect(located.groups.map(({ kind, tier, devices, origins }) => [kind, tier, devices, origins])).toEqual([
      ['bad-cable', 2, ['spine 0'], [0]],
      ['bad-cable', 1, ['leaf 2', 'leaf 1', 'leaf 0'], [1, 2, 3, 4, 5, 6]],
    ])
    const blames = located.groups.map(({ blame }) => blame)
    expect(blames.map((blame) => Math.round(blame * (500 + 246)))).toEqual([500, 246])
  })

  test('of a group are one block of the text', () => expect(blocks(locatedText(located))).toBe(2))

  test('of more than eight groups are printed if they are asked for', () => {
    const many = { ...located, groups: Array.from({ length: 12 }, () => located.groups[1]!) }
    expect([blocks(locatedText(many)), blocks(locatedText(many, true))]).toEqual([8, 12])
  })
})
