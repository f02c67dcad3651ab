/**
 * Findings: identity is data, words come last; the same mistake at many places is one; what is accepted is named, and what
 * no longer fits is said.
 */
import { describe, expect, test } from 'vitest'
import { FINDING_KINDS } from './catalogue.ts'
import { type Finding, foundAt, isAtLeast, type Subject } from './finding.ts'
import { gathered, Gathering } from './gather.ts'
import { pausesExpire, watchdogWithoutPfc } from './kinds/buffers.ts'
import { buf03 } from './kinds/fabric/links.ts'
import { sarifLog } from './sarif.ts'
import { readSuppressions, suppress } from './suppressions.ts'
import { findingLines, findingText } from './text.ts'

const IDS = new Map([...FINDING_KINDS.map(({ id }) => [id, id] as const), ['headroom-for-another-cable', 'buf03']])
const measured = (subject: Subject, setM = 10): Finding =>
  foundAt(buf03, subject, { setM, cableM: 50, dialect: '', cited: [] })
const at = (device: string, port = 'spine 0'): Subject => ({ device, port, path: 'switch.buffer.believedDelay' })

describe('the catalogue', () => {
  test('has each id once, in small letters', () => {
    const ids = FINDING_KINDS.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([])
  })

  test('says of each what it means and what to do', () => {
    expect(
      FINDING_KINDS.filter(({ meaning, remedy }) => meaning.length < 20 || remedy === '').map(({ id }) => id),
    ).toEqual([])
  })
})

describe('gathering', () => {
  test('joins the places of one mistake, the worst first', () => {
    const [one, ...others] = gathered([
      measured(at('leaf 0'), 40),
      measured(at('leaf 1'), 10),
      measured(at('leaf 2'), 20),
    ])
    expect(others).toEqual([])
    expect([one!, ...one!.also].map(({ subject }) => subject.device)).toEqual(['leaf 1', 'leaf 2', 'leaf 0'])
  })

  test('keeps mistakes of different parameters apart', () => {
    const found = gathered([measured(at('leaf 0')), measured({ ...at('leaf 0'), path: 'switch.mtu' })])
    expect(found).toHaveLength(2)
  })

  test('leaves a device out where the same holds everywhere, and says the first time alone', () => {
    const gathering = new Gathering()
    gathering.add([foundAt(pausesExpire, {}, {})])
    gathering.add([foundAt(pausesExpire, {}, {})], { device: 'leaf 0' })
    gathering.add([measured(at('leaf 1'))], { atPs: 5 })
    gathering.add([measured(at('leaf 1'), 30)], { atPs: 9 })
    expect(gathering.findings().map(({ id, subject: { device, atPs } }) => [id, device, atPs])).toEqual([
      ['pauses-expire', undefined, undefined],
      ['buf03', 'leaf 1', 5],
    ])
  })
})

describe('suppressions', () => {
  const three = gathered([measured(at('leaf 0')), measured(at('leaf 1')), measured(at('leaf 2'))])
  const reason = 'as measured'
  const id = 'buf03'

  test('of a place leave the others', () => {
    const { left, suppressed } = suppress(three, [{ id, device: 'leaf 0', reason }], '2026-11-27')
    expect(left.flatMap((one) => [one, ...one.also]).map(({ subject }) => subject.device)).toEqual(['leaf 1', 'leaf 2'])
    expect(suppressed.map(({ finding, reason: why }) => [finding.subject.device, why])).toEqual([['leaf 0', reason]])
  })

  test('of everything leave nothing', () => {
    expect(suppress(three, [{ id, reason }], '2026-11-27').left).toEqual([])
  })

  test('that fit nothing are said', () => {
    const { left } = suppress(
      three,
      [
        { id, reason },
        { id, device: 'leaf 9', reason },
      ],
      '2026-11-27',
    )
    expect(left.map((one) => [one.id, one.values['suppressed']])).toEqual([['suppression-unused', id]])
  })

  test('of a rule accept that it was not judged, at the device that they name', () => {
    const open = [
      { device: 'leaf 0', rules: ['BUF11', 'WD01'], form: '' },
      { device: 'leaf 1', rules: ['BUF11'], form: '' },
    ]
    const all = suppress([], [{ id: 'buf11', reason }], '2026-11-27', open)
    expect(all.undecided).toEqual([{ device: 'leaf 0', rules: ['WD01'], form: '' }])
    expect(all.waived.map(({ rule, device }) => [rule, device])).toEqual([
      ['BUF11', 'leaf 0'],
      ['BUF11', 'leaf 1'],
    ])
    expect(all.left).toEqual([])
    const one = suppress([], [{ id: 'buf11', device: 'leaf 1', reason, until: '2026-11-27' }], '2026-11-27', open)
    expect(one.undecided).toEqual(open.slice(0, 1))
    const others = [
      { id: 'buf11', device: 'leaf 1', interface: 'eth2', reason },
      { id: 'wd01', reason, until: '2026-11-26' },
    ]
    const { undecided, left } = suppress([], others, '2026-11-27', open)
    expect(undecided).toEqual(open)
    expect(left.map((each) => each.id)).toEqual(['suppression-unused', 'suppression-expired'])
  })

  test.each([
    ['2026-11-27', []],
    ['2026-11-26', [id, 'suppression-expired']],
  ])('hold until the end of their last day, %s', (until, ids) => {
    const { left } = suppress(three, [{ id, reason, until }], '2026-11-27')
    expect(left.map((one) => one.id)).toEqual(ids)
  })

  test('every mistake in a list is reported with its position', () => {
    const list = [{ id: 'no-such', reason }, 7, { id, until: 'soon', wrong: 1 }, { id, reason, trafficClass: 9 }]
    expect(readSuppressions(list, IDS).issues.map(({ path }) => path)).toEqual([
      '0.id',
      '1',
      '2.until',
      '2.wrong',
      '2.reason',
      '3.trafficClass',
    ])
    expect(readSuppressions({ id }, IDS).issues.map(({ path }) => path)).toEqual([''])
    expect(readSuppressions([{ id, reason }], IDS)).toEqual({ list: [{ id, reason }], issues: [] })
    const former = [{ id: 'headroom-for-another-cable', reason }]
    expect(readSuppressions(former, IDS)).toEqual({ list: [{ id, reason }], issues: [] })
    expect(readSuppressions([{ id: id.toUpperCase(), reason }], IDS)).toEqual({ list: [{ id, reason }], issues: [] })
  })
})

test('severities have an order', () => {
  expect([isAtLeast('error', 'warning'), isAtLeast('warning', 'warning'), isAtLeast('note', 'warning')]).toEqual([
    true,
    true,
    false,
  ])
})

test('SARIF has a rule for each id, a place for each subject, and what is suppressed with its reason', () => {
  const found = gathered([measured({ ...at('leaf 0'), file: 'a b.yaml', line: 7 }), measured(at('leaf 1'))])
  const accepted = { finding: foundAt(watchdogWithoutPfc, {}, {}), reason: 'meant' }
  const log = JSON.parse(JSON.stringify(sarifLog(found, [accepted], 'c.yaml')))
  const [run] = log.runs
  expect([log.version, run.tool.driver.rules.map((rule: { id: string }) => rule.id)]).toEqual([
    '2.1.0',
    ['buf03', 'watchdog-without-pfc'],
  ])
  const [first, second] = run.results
  expect([first.ruleId, first.ruleIndex, first.level, second.ruleIndex]).toEqual([found[0]!.id, 0, 'warning', 1])
  expect(first.locations.map((spot: { physicalLocation: object }) => spot.physicalLocation)).toEqual([
    { artifactLocation: { uri: 'a%20b.yaml' }, region: { startLine: 7 } },
    { artifactLocation: { uri: 'c.yaml' } },
  ])
  expect(first.locations[1].logicalLocations[0].fullyQualifiedName).toBe(
    'leaf 1/port to spine 0/switch.buffer.believedDelay',
  )
  expect(first.suppressions).toBeUndefined()
  expect(second.suppressions).toEqual([{ kind: 'external', justification: 'meant' }])
})

test('a text names the place and counts those beyond a few; a screen is not exceeded', () => {
  const many = gathered(Array.from({ length: 9 }, (_, i) => measured(at(`leaf ${i}`))))
  expect(findingText(many[0]!).startsWith('leaf 0, port to spine 0: ')).toBe(true)
  expect(findingText(many[0]!)).toContain('leaf 4')
  expect(findingText(many[0]!)).not.toContain('leaf 5')
  const long = Array.from({ length: 60 }, (_, i) => measured({ device: `leaf ${i}`, path: `p${i}` }))
  expect(findingLines(long)).toHaveLength(24)
})
