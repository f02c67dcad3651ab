/**
 * The end of simulated time: 2^53 - 1 ps, some 2.5 hours. Runs stop there, and a scenario that must go beyond is refused.
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

/** A star of slow links; `more` replaces keys of the workload, `rest` is added to the scenario. */
function write(flows: string, rest = ''): void {
  const text = `name: slow
topology: {kind: star, hosts: 3, linkRate: 1Kbps, linkDelay: 1us}
workload: [{kind: trace, flows: [${flows}]}]
${rest}`
  writeFileSync(path.join(at.folder, 'slow.yaml'), text)
}

describe('a run that comes to the end of simulated time', () => {
  test('stops there, says so and leaves a partial result', () => {
    // 1.2 MB at 1 kb/s take 2.8 hours.
    write('"0 1 1KB 0us", "0 1 1200KB 1us"')
    const { code, stdout, stderr } = rocelab(at.folder, 'run', 'slow.yaml', '--json', '--quiet')
    expect(stderr).toMatch(/^rocelab: the run was stopped at 2\^53 ps \(2\.5 h\), .*: its result is partial$/m)
    expect(code).toBe(1)
    const told = JSON.parse(stdout) as { partial: boolean; simulatedPs: number; folder: string }
    expect(told).toMatchObject({ partial: true, simulatedPs: LAST_PS })
    expect(told).toMatchObject({ flows: { finished: 1 }, unfinishedReasons: { 'open when simulated time ended': 1 } })
    const again = rocelab(at.folder, 'compare', told.folder, told.folder)
    expect(again.stderr).toContain('is partial: its run was stopped at 2^53 ps')
    expect(again.code).toBe(0)
  })
})
