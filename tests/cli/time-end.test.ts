/**
 * The end of simulated time: 2^53 - 1 ps, about 2.5 hours. Runs stop there, and a scenario that cannot end before is refused.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder, rocelab } from './program.ts'

const LAST_PS = 9_007_199_254_740_991

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder()
})
afterEach(() => at.clear())

const write = (text: string): void => writeFileSync(path.join(at.folder, 'slow.yaml'), text)

/** About 1,200 messages until then: more than a run counts before it starts, but check counts them. */
const LATE = `name: late
topology: {kind: star, hosts: 3, linkRate: 1Mbps}
workload: [{kind: poisson, load: 0.00036, sizes: {kind: fixed, size: 1KB}, flows: 1500}]
`
/** Alone the message takes two hours; one packet in three is lost. */
const LOSSY = `name: lossy
topology: {kind: star, hosts: 3, linkRate: 1Kbps}
qp: {ackTimeout: 100s, retryLimit: off}
faults: [{kind: every-nth, n: 3}]
workload: [{kind: trace, flows: ["0 1 800KB 0us"]}]
`
const slow = (start: string, size = '1KB'): string => `name: slow
topology: {kind: star, hosts: 3, linkRate: 1Kbps}
workload: [{kind: incast, senders: 1, receiver: 2, sizeEach: ${size}, start: ${start}}]
`

describe('a run that comes to the end of simulated time', () => {
  test('stops there, reports it and leaves a partial result', () => {
    write(LOSSY)
    const { code, stdout, stderr } = rocelab(at.folder, 'run', 'slow.yaml', '--json', '--quiet')
    expect(stderr).toMatch(/^rocelab: the run was stopped at 2\^53 ps \(2\.5 h\), .*: its result is partial$/m)
    expect(code).toBe(1)
    const shown = JSON.parse(stdout) as { partial: boolean; simulatedPs: number; folder: string }
    expect(shown).toMatchObject({ partial: true, simulatedPs: LAST_PS })
    expect(shown).toMatchObject({ unfinishedReasons: { 'open when simulated time ended': 1 } })
    const again = rocelab(at.folder, 'compare', shown.folder, shown.folder)
    expect(again.stderr).toContain('is partial: its run was stopped at 2^53 ps')
    expect(again.code).toBe(0)
  })

  test('is partial in a sweep too', () => {
    write(LATE)
    const { code, stdout, stderr } = rocelab(at.folder, 'sweep', 'slow.yaml', '--seeds', '2', '--json', '--quiet')
    expect(stderr).toBe(
      'rocelab: 2 of the points are partial: their runs were stopped at 2^53 ps (2.5 h), where simulated time ends\n',
    )
    expect(code).toBe(0)
    expect((JSON.parse(stdout) as { rows: unknown[] }).rows).toHaveLength(1)
  })

  test('is complete if measure.stop ends it at that very time', () => {
    write(`${LATE}measure: {stop: ${LAST_PS}ps}\n`)
    const { code, stdout } = rocelab(at.folder, 'run', 'slow.yaml', '--json', '--quiet')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ partial: false, simulatedPs: LAST_PS })
  })
})

describe('a scenario that cannot end in simulated time is refused', () => {
  test.each([
    ['a start that leaves no time', slow(`${LAST_PS}ps`), 'workload.0: '],
    ['a message that is too large for its links', slow('0us', '1200KB'), 'workload.0: '],
    ['a stop beyond it', `${slow('0us')}measure: {stop: 9007199254740992ps}\n`, 'measure.stop: '],
  ])('%s, by check and by run', (_, text, index) => {
    write(text)
    for (const command of ['check', 'run']) {
      const { code, stderr } = rocelab(at.folder, command, 'slow.yaml')
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
      expect(stderr).toContain(`${index}expected`)
      expect(stderr).toMatch(/2\^53 ps/)
      expect(code).toBe(2)
    }
  })

  test('by check, however late the message is', () => {
    write(LATE)
    const { code, stderr } = rocelab(at.folder, 'check', 'slow.yaml')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^slow\.yaml:3:\d+: workload\.0: expected messages that can be finished in simulated time/)
  })
})
