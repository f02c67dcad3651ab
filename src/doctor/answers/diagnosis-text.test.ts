/** Rules without a judgement, by what would decide them. */
import { expect, test } from 'vitest'
import { byForm } from './diagnosis-text.ts'

test('rules that no form decides are said of the devices that lack it, and of no others', () => {
  const of = (form: string, device: string, rules: readonly string[]) => ({ form, device, rules, ports: [] })
  const asked = byForm([of('ethtool IF', 'h1', ['SPD01']), of('ethtool IF', 'h2', ['CTR10'])])
  expect(asked.map(({ devices, rules }) => [devices, rules])).toEqual([
    [
      ['h1', 'h2'],
      ['CTR10', 'SPD01'],
    ],
  ])
  const none = byForm([of('', 'leaf1', ['BUF11']), of('', 'h1', ['MAP03']), of('', 'leaf2', ['BUF11'])])
  expect(none.map(({ devices, rules }) => [devices, rules])).toEqual([
    [['leaf1', 'leaf2'], ['BUF11']],
    [['h1'], ['MAP03']],
  ])
})
