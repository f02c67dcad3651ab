/**
 * Hostile input: ends with a message and exit code 2, never with a stack trace or exhausted memory.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder, type Ended, MAIN, rocelab, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => at.clear())

const write = (name: string, data: string | Uint8Array): void => writeFileSync(path.join(at.folder, name), data)

describe('a long list of mistakes', () => {
  const LISTS = 'name: long\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: trace, flows: {file: trace.txt}}]\n'

  test('in a trace is shown up to the hundredth, and the others are counted', () => {
    write('long.yaml', LISTS)
    write('trace.txt', '0 9 1KB 1us\n'.repeat(200_000))
    const { code, stderr } = rocelab(at.folder, 'check', 'long.yaml')
    const lines = stderr.trimEnd().split('\n')
    expect([code, lines.length]).toEqual([2, 101])
    expect(lines[0]).toBe('trace.txt:1:1: workload.0.flows.0: expected a host 0 to 2, received "9"')
    expect(lines[100]).toMatch(/^long\.yaml: expected no further mistakes, received 199900 more /)
  })

  test('of workloads is checked in linear time', () => {
    // Rules check for each workload whether it has mistakes; searching all mistakes each time took minutes.
    const kinds = Array.from({ length: 50_000 }, () => '{kind: poison, load: 3}').join(', ')
    write('long.yaml', `name: long\ntopology: {kind: star, hosts: 3}\nworkload: [${kinds}]\n`)
    const { code, stderr } = rocelab(at.folder, 'check', 'long.yaml')
    expect([code, stderr.trimEnd().split('\n').length]).toEqual([2, 101])
  })

  test('that only the network shows is cut off too', () => {
    const faults = Array.from({ length: 500 }, () => '{kind: every-nth, links: "0-77", n: 9}').join(', ')
    write('long.yaml', `${SMALL}faults: [${faults}]\n`)
    const { code, stderr } = rocelab(at.folder, 'check', 'long.yaml')
    const lines = stderr.trimEnd().split('\n')
    expect([code, lines.length]).toEqual([2, 101])
    expect(lines[100]).toContain('received 400 more')
  })
})

const LINUX = process.platform === 'linux'

/** Runs a shell command, with $ROCELAB for the program. */
function shell(command: string): Ended {
  const env = { ...process.env, ROCELAB: `${process.execPath} ${MAIN}` }
  const run = spawnSync('bash', ['-c', command], { cwd: at.folder, env, encoding: 'utf8', timeout: 60_000 })
  return { code: run.status, stdout: run.stdout, stderr: run.stderr }
}

function firstBlockDevice(): string | undefined {
  return readdirSync('/dev')
    .map((name) => `/dev/${name}`)
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isBlockDevice())
}

const LISTED = 'name: l\ntopology: {kind: star, hosts: 5}\nworkload: [{kind: trace, flows: {file: FILE}}]\n'
const DISTRIBUTION = `name: d
topology: {kind: star, hosts: 5}
workload: [{kind: poisson, load: 0.1, flows: 9, sizes: {kind: cdf, points: {file: FILE}}}]
`

describe.skipIf(!LINUX)('input that is not a file of a sensible size', () => {
  const COMMANDS: readonly (readonly [name: string, args: readonly string[]])[] = [
    ['a scenario', ['check', 'FILE']],
    ['a scenario on standard input', ['check', '-']],
    ['a trace', ['check', 'listed.yaml']],
    ['a size distribution', ['check', 'distribution.yaml']],
    ['a file of an import', ['import', 'hpcc', 'FILE']],
    ['a file that an import names', ['import', 'htsim', '--topo', 'FILE', '--cm', 'small.yaml']],
    ['completion times to compare', ['compare', 'FILE', 'FILE']],
    ['the CSV of an earlier report', ['reproduce', 'irn', '--from', 'FILE']],
  ]
  const shown = (args: readonly string[], file: string): Ended => {
    write('listed.yaml', LISTED.replace('FILE', file))
    write('distribution.yaml', DISTRIBUTION.replace('FILE', file))
    const words = args.map((word) => (word === 'FILE' ? `'${file}'` : word)).join(' ')
    return shell(args.includes('-') ? `$ROCELAB ${words} < '${file}'` : `$ROCELAB ${words}`)
  }

  test.each(COMMANDS)('is refused as %s', (_, args) => {
    const { code, stderr } = shown(args, '/dev/zero')
    expect(stderr).toContain('an endless device')
    expect(stderr).not.toMatch(/bug|\n {2}/)
    expect(code).toBe(2)
  })

  test.each([
    ['a scenario', ['check', 'FILE']],
    ['a trace', ['check', 'listed.yaml']],
  ])('is refused as %s where it is large, or a folder', (_, args) => {
    write('huge', '')
    truncateSync(path.join(at.folder, 'huge'), 1_100_000_000)
    for (const [file, reason] of [
      ['huge', 'a file of 1.10 GB'],
      ['.', 'a folder'],
    ] as const) {
      const { code, stderr } = shown(args, file)
      expect(stderr).toContain(reason)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
      expect(code).toBe(2)
    }
  })

  const blockDevice = LINUX ? firstBlockDevice() : undefined
  test.skipIf(blockDevice === undefined)('is refused if it is a block device', () => {
    const { code, stderr } = rocelab(at.folder, 'check', blockDevice!)
    expect([code, stderr]).toEqual([2, `${blockDevice}: expected a scenario file, received a block device\n`])
  })

  test('is reported if the device fails', () => {
    const { code, stderr } = rocelab(at.folder, 'check', '/proc/self/mem')
    expect(stderr).toBe('/proc/self/mem: expected a scenario file, received a file that cannot be read (EIO)\n')
    expect(code).toBe(2)
  })

  test('is read up to a limit if it is a pipe', () => {
    const { code, stderr } = shell('yes | $ROCELAB check -')
    expect(stderr).toContain('expected a scenario file, received more than 268 MB (a text may have at most 268 MB)')
    expect(code).toBe(2)
  })
})

describe.skipIf(!LINUX)('input that is not a file but ends', () => {
  test.each([
    ['a pipe', 'cat small.yaml | $ROCELAB check -'],
    ['a pipe by its name', 'cat small.yaml | $ROCELAB check /dev/stdin'],
    ['process substitution', '$ROCELAB check <(cat small.yaml)'],
    ['a pipe that is slow', '(sleep 0.3; cat small.yaml) | $ROCELAB check -'],
    ['a redirected file', '$ROCELAB check - < small.yaml'],
  ])('is read: %s', (_, command) => {
    const { code, stdout, stderr } = shell(command)
    expect(stderr).toBe('')
    expect(stdout).toContain('incast: 4 flows, 400 KB')
    expect(code).toBe(0)
  })

  test('is read in a list of a scenario', () => {
    write('listed.yaml', LISTED)
    const command = `$ROCELAB check <(sed "s|FILE|$(echo /dev/fd/9)|" listed.yaml) 9< <(printf '0 1 7KB 1us\\n')`
    const { code, stdout, stderr } = shell(command)
    expect(stderr).toBe('')
    expect(stdout).toContain('trace: 1 flow, 7.00 KB')
    expect(code).toBe(0)
  })

  test('has no keys if it is the null device', () => {
    const { code, stderr } = rocelab(at.folder, 'check', '/dev/null')
    expect(stderr).toContain('expected keys and values, received an empty text')
    expect(code).toBe(2)
  })
})

describe('a text in another encoding', () => {
  test('is named in a scenario', () => {
    write('coded.yaml', Buffer.from(SMALL, 'utf16le'))
    const { code, stderr } = rocelab(at.folder, 'check', 'coded.yaml')
    expect(stderr).toBe(
      'coded.yaml: expected a scenario file, received text that is not UTF-8 (looks like UTF-16LE; save it as UTF-8)\n',
    )
    expect(code).toBe(2)
  })

  test('is named in a trace, with the line of the first byte that is not UTF-8', () => {
    write('listed.yaml', LISTED.replace('FILE', 'trace.txt'))
    write('trace.txt', Buffer.from('0 1 1KB 1us\n0 2 1KB 2us tag=für\n', 'latin1'))
    const { code, stderr } = rocelab(at.folder, 'check', 'listed.yaml')
    expect(stderr).toMatch(
      /^listed\.yaml:3:\d+: workload\.0\.flows\.file: expected a readable file, received "trace\.txt" \(text that is not UTF-8: byte 0xFC, line 2; looks like Latin-1 .*; save it as UTF-8\)\n$/,
    )
    expect(code).toBe(2)
  })
})
