import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, rocelab, startRocelab, inFlight } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({
    'net.yaml': 'name: net\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: incast, senders: 1}]\n',
    'bad.yaml':
      'name: bad\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: incast, senders: 1}]\nfaults: [{kind: bernoulli, probability: 1, links: 0-9}]\n',
  })
})
afterAll(() => at.clear())

describe('perftest', () => {
  test('times every operation in both modes, and shows the NIC state of IRN', () => {
    const { code, stdout, stderr } = rocelab(at.folder, 'perftest', 'net.yaml', '--requests', '20', '--size', '4KB')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^20 requests of 4.00 KB \(atomics: 8 bytes\) on one queue pair, 1 outstanding, MTU 1024, at line rate$/m,
    )
    expect(stdout.match(/^(roce|irn) .* 20 of 20 .* us .* [GMK]bps +0 +0 +0 +0 +0$/gm)).toHaveLength(16)
    expect(stdout).toMatch(/^total +800$/m)
  })

  test('runs the workload in the background, and reports if it ended before the requests', () => {
    const args = ['perftest', 'net.yaml', '--operation', 'write', '--mode', 'irn', '--requests', '2000', '--background']
    const { code, stdout } = rocelab(at.folder, ...args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^irn +write +2,000 of 2,000 .* 1 of 1 flows$/m)
    expect(stdout).toMatch(/^irn write: the workload ended at .* [um]s, before the test ended at .* [um]s$/m)
    const { tests } = JSON.parse(rocelab(at.folder, ...args, '--json').stdout) as { tests: Record<string, unknown>[] }
    expect(tests[0]).toMatchObject({ hasBackground: true, startPs: 0, background: { posted: 1, finished: 1 } })
  })

  test('gives the same result with conservation laws checked', () => {
    const args = [
      'perftest',
      'net.yaml',
      '--size',
      '100KB',
      '--requests',
      '20',
      '--depth',
      '4',
      '--background',
      '--json',
    ]
    const [plain, checked] = [rocelab(at.folder, ...args), rocelab(at.folder, ...args, '--check')]
    expect({ code: checked.code, stderr: checked.stderr }).toEqual({ code: 0, stderr: '' })
    expect(checked.stdout).toBe(plain.stdout)
  })

  test('prints one JSON object, the same each time', () => {
    const args = [
      'perftest',
      'net.yaml',
      '--operation',
      'read',
      '--mode',
      'irn',
      '--requests',
      '20',
      '--depth',
      '4',
      '--json',
    ]
    const [one, two] = [
      rocelab(at.folder, ...args, '--pair', '0 1', '--pair', '2 1'),
      rocelab(at.folder, ...args, '--pair', '0 1', '--pair', '2 1'),
    ]
    expect(one.stdout).toBe(two.stdout)
    const { tests, ...rest } = JSON.parse(one.stdout) as { tests: Record<string, unknown>[] }
    expect(rest).toMatchObject({ schemaVersion: 1, name: 'net', seed: 1 })
    expect(tests).toHaveLength(1)
    expect(tests[0]).toMatchObject({
      mode: 'irn',
      operation: 'read',
      asked: 40,
      succeeded: 40,
      endings: { finished: 40 },
    })
    expect(tests[0]).toMatchObject({
      pairs: [
        [0, 1],
        [2, 1],
      ],
      payloadBytes: 40 * 64_000,
      isPartial: false,
    })
  })

  test('shows the status of requests that failed', () => {
    const cut = 'faults=[{kind: link-down, links: 3-4, down: 30us}]'
    const { code, stdout } = rocelab(
      at.folder,
      'perftest',
      'net.yaml',
      '--mode',
      'roce',
      '--operation',
      'write',
      '--set',
      cut,
      '--set',
      'qp.ackTimeout=320us',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^roce write: retry limit reached 1, not posted 99\d$/m)
  })

  test.each([
    [
      ['net.yaml', '--pair', '0 9', '--pair', '1 1'],
      '--pair: expected two different hosts 0 to 3, received "0 9"\n--pair: expected two different hosts 0 to 3, received "1 1"',
    ],
    [
      ['net.yaml', '--pair', 'x', '--pair', '1'],
      '--pair: expected "FROM TO", two hosts, such as "0 1", received "x"\n--pair: expected',
    ],
    [['net.yaml', '--mtu', '20000'], '--mtu: expected a size from 1B to 9KiB, '],
    [['bad.yaml'], 'bad.yaml:4:51: faults.0.links: expected nodes of this network, received "0-9"'],
    [['net.yaml', '--size', '3GiB'], 'expected a size up to 2GiB'],
    [['net.yaml', '--operation', 'atomic'], 'compare-and-swap'],
    [['nowhere.yaml'], 'nowhere.yaml: expected a scenario file'],
  ])('%j is bad input', (args, message) => {
    const { code, stdout, stderr } = rocelab(at.folder, 'perftest', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('shows the finished tests when interrupted', async () => {
    const { child, ended } = startRocelab(
      at.folder,
      'perftest',
      'net.yaml',
      '--mode',
      'roce',
      '--requests',
      '1000000',
      '--json',
    )
    await inFlight(child)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'rocelab: stopping; interrupt again to quit at once\n' })
    const { tests } = JSON.parse(stdout) as { tests: { isPartial: boolean; succeeded: number }[] }
    expect(tests.at(-1)!.isPartial).toBe(true)
    expect(tests[0]!.succeeded).toBeGreaterThan(10)
  })
})
