import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readCsv, type RunJson } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { createFolder, MAIN, rocelab, rocelabWith, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL, 'below/small.yaml': SMALL })
})
afterEach(() => at.clear())

const read = (...names: string[]): string => readFileSync(path.join(at.folder, ...names), 'utf8')

describe('a run', () => {
  test('prints a summary and leaves a folder named after scenario, seed and digest', () => {
    const { code, stdout, stderr } = rocelab(at.folder, 'run', 'small.yaml')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [folder = ''] = readdirSync(path.join(at.folder, 'results'))
    const digest = read('results', folder, 'digest.txt').trim()
    expect(digest).toMatch(/^[0-9a-f]{16}$/)
    expect(folder).toBe(`small-s1-${digest.slice(0, 8)}`)
    expect(stdout).toContain(`result in results/${folder}`)
    expect(stdout).toContain('flows finished   4 of 4')
    const names = ['scenario.yaml', 'summary.json', 'result.json', 'flows.csv', 'flows.parquet', 'cost.json']
    expect(readdirSync(path.join(at.folder, 'results', folder))).toEqual(expect.arrayContaining(names))
    expect(readCsv('flows', read('results', folder, 'flows.csv')).rowCount).toBe(4)
    expect(read('results', folder, 'flows.csv')).not.toContain('\r')
    expect(parseScenario(read('results', folder, 'scenario.yaml'))).toEqual(parseScenario(SMALL))
  })

  test('prints exactly one JSON object and nothing else with --json', () => {
    const { code, stdout } = rocelab(at.folder, 'run', 'small.yaml', '--json')
    expect(code).toBe(0)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    const json = JSON.parse(stdout) as RunJson
    expect(json).toMatchObject({ name: 'small', seed: 1, partial: false, flows: { finished: 4, unfinished: 0 } })
    expect(json.packetHopsPerCpuSecond).toBeGreaterThan(0)
    expect(json.peakRssBytes).toBeGreaterThan(1e7)
  })

  test('names the folder in the object of --json, also if the default name was occupied', () => {
    const folderOf = (...args: string[]): string => {
      const { stdout } = rocelab(at.folder, 'run', 'small.yaml', '--json', '--quiet', ...args)
      return (JSON.parse(stdout) as { folder: string }).folder
    }
    const first = folderOf()
    expect(existsSync(path.join(at.folder, first, 'digest.txt'))).toBe(true)
    writeFileSync(path.join(at.folder, first, 'scenario.yaml'), 'name: other\n')
    expect(folderOf()).toBe(`${first}-2`)
    expect(folderOf('--out', 'deep/here')).toBe('deep/here')
  })

  test('--report writes a page beside the result and names it last', () => {
    const { code, stdout } = rocelab(at.folder, 'run', 'small.yaml', '--out', 'paged', '--report')
    expect(code).toBe(0)
    expect(stdout).toMatch(/result in paged\nreport in paged\/report\.html\n$/)
    expect(readFileSync(path.join(at.folder, 'paged', 'report.html'), 'utf8')).toContain('id="report-data"')
  })

  test('gives the same result in any current directory, to which its paths are relative', () => {
    expect(rocelab(path.join(at.folder, 'below'), 'run', '../small.yaml', '--out', 'here', '--quiet').stdout).toBe(
      'here\n',
    )
    expect(rocelab(at.folder, 'run', 'below/small.yaml', '--out', 'there', '--quiet').code).toBe(0)
    expect(read('below', 'here', 'digest.txt')).toBe(read('there', 'digest.txt'))
    expect(read('below', 'here', 'summary.json')).toBe(read('there', 'summary.json'))
  })

  test('reads files that a scenario names relative to the scenario', () => {
    writeFileSync(path.join(at.folder, 'below', 'flows.txt'), '0 1 10KB 0us\n1 2 20KB 1us\n')
    const traced = SMALL.replace(/ {2}- .*\n/, '  - {kind: trace, flows: {file: flows.txt}}\n')
    writeFileSync(path.join(at.folder, 'below', 'traced.yaml'), traced)
    expect(rocelab(at.folder, 'run', 'below/traced.yaml', '--out', 'traced', '--quiet').code).toBe(0)
    expect(read('traced', 'scenario.yaml')).toContain('1 2 20KB 1us')
  })

  test('reads files that --set names relative to the current directory', () => {
    writeFileSync(path.join(at.folder, 'flows.txt'), '0 1 10KB 0us\n')
    const args = ['--set', 'workload.0={kind: trace, flows: {file: flows.txt}}', '--json']
    const { stdout } = rocelab(at.folder, 'run', 'below/small.yaml', ...args)
    expect(JSON.parse(stdout)).toMatchObject({ flows: { finished: 1 } })
    const later = [
      '--set',
      'workload.0={kind: trace, flows: [0 1 1KB 0us]}',
      '--set',
      'workload.0.flows={file: flows.txt}',
    ]
    expect(rocelab(at.folder, 'check', 'below/small.yaml', ...later).code).toBe(0)
  })

  test('reads standard input for -', () => {
    const { code, stderr } = rocelab(at.folder, 'run', '-', '--quiet')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('standard input') as string })
  })

  test('applies --set and --seed', () => {
    const args = ['--set', 'workload.0.senders=3', '--set', 'name=three', '--seed', '9', '--json']
    const json = JSON.parse(rocelab(at.folder, 'run', 'small.yaml', ...args).stdout) as RunJson
    expect(json).toMatchObject({ name: 'three', seed: 9, flows: { finished: 3 } })
  })

  test('gives the same digest with conservation laws checked, and reports that they hold', () => {
    const plain = JSON.parse(rocelab(at.folder, 'run', 'small.yaml', '--json').stdout) as RunJson
    const { stdout, stderr } = rocelab(at.folder, 'run', 'small.yaml', '--json', '--check', '--out', 'checked')
    expect((JSON.parse(stdout) as RunJson).digest).toBe(plain.digest)
    expect(stderr).toContain('rocelab: no conservation law was broken\n')
  })

  test("writes another simulator's files in addition to its own", () => {
    expect(rocelab(at.folder, 'run', 'small.yaml', '--out', 'out', '--export', 'hpcc').code).toBe(0)
    expect(read('out', 'hpcc', 'fct.txt').trimEnd().split('\n')).toHaveLength(4)
  })

  test('logs the PFC frames that an export needs, and reports how many were left out', () => {
    const crowd = ['--set', 'workload.0.sizeEach=1MB', '--set', 'pfc.classes=[3]']
    expect(rocelab(at.folder, 'run', 'small.yaml', ...crowd, '--out', 'plain', '--quiet').code).toBe(0)
    const args = ['--out', 'out', '--export', 'hpcc', '--quiet']
    expect(rocelab(at.folder, 'run', 'small.yaml', ...crowd, ...args).stderr).toBe('')
    const rows = read('out', 'hpcc', 'pfc.txt').trimEnd().split('\n')
    expect(rows.length).toBeGreaterThan(2)
    expect(read('out', 'digest.txt')).toBe(read('plain', 'digest.txt'))
    const few = ['--set', 'observe=[{kind: pause-log, maxRows: 2}]', '--out', 'few', '--export', 'hpcc', '--quiet']
    expect(rocelab(at.folder, 'run', 'small.yaml', ...crowd, ...few).stderr).toContain(
      `pfc.txt holds the first 2 of ${rows.length} PFC frames`,
    )
  })

  test('lists unfinished flows, with the reason', () => {
    const { code, stdout } = rocelab(at.folder, 'run', 'small.yaml', '--set', 'measure.stop=5us')
    expect(code).toBe(0)
    expect(stdout).toMatch(/flow 0 +host \d +host 4 +100 KB +0 ps +still sending at the stop/)
  })

  test('counts the unfinished flows beyond the tenth', () => {
    const args = ['--set', 'topology.hosts=17', '--set', 'workload.0.senders=16', '--set', 'measure.stop=5us']
    const { stdout } = rocelab(at.folder, 'run', 'small.yaml', ...args)
    expect(stdout.match(/still sending at the stop$/gm)).toHaveLength(10)
    expect(stdout).toContain('and 6 more: see status in flows.csv')
  })
})

describe('an existing result', () => {
  test('is not overwritten, which is reported before anything runs', () => {
    expect(rocelab(at.folder, 'run', 'small.yaml', '--out', 'out').code).toBe(0)
    const before = statSync(path.join(at.folder, 'out', 'cost.json')).mtimeMs
    const { code, stdout, stderr } = rocelab(at.folder, 'run', 'small.yaml', '--seed', '2', '--out', 'out')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('--force replaces it')
    expect(statSync(path.join(at.folder, 'out', 'cost.json')).mtimeMs).toBe(before)
  })

  test('is replaced with --force', () => {
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'out')
    writeFileSync(path.join(at.folder, 'out', 'old.txt'), '')
    expect(rocelab(at.folder, 'run', 'small.yaml', '--seed', '2', '--out', 'out', '--force').code).toBe(0)
    expect(read('out', 'scenario.yaml')).toContain('seed: 2')
    expect(existsSync(path.join(at.folder, 'out', 'old.txt'))).toBe(false)
    expect(readdirSync(at.folder).toSorted()).toEqual(['below', 'out', 'small.yaml'])
  })

  test('is left alone if it is the same', () => {
    rocelab(at.folder, 'run', 'small.yaml')
    const [folder = ''] = readdirSync(path.join(at.folder, 'results'))
    const before = statSync(path.join(at.folder, 'results', folder, 'cost.json')).mtimeMs
    const { code, stdout } = rocelab(at.folder, 'run', 'small.yaml')
    expect(code).toBe(0)
    expect(stdout).toContain(`the same result is already in results/${folder}`)
    expect(statSync(path.join(at.folder, 'results', folder, 'cost.json')).mtimeMs).toBe(before)
  })

  test('gets missing files, and keeps all that it has', () => {
    const exported = (format: string): string =>
      rocelab(at.folder, 'run', 'small.yaml', '--quiet', '--export', format).stdout.trim()
    const folder = exported('hpcc')
    writeFileSync(path.join(at.folder, folder, 'notes.txt'), 'why it is so')
    const before = readdirSync(path.join(at.folder, folder))
    const cost = read(folder, 'cost.json')
    expect(exported('conweave')).toBe(folder)
    expect(readdirSync(path.join(at.folder, folder)).toSorted()).toEqual([...before, 'conweave'].toSorted())
    expect(read(folder, 'notes.txt')).toBe('why it is so')
    expect(read(folder, 'hpcc', 'fct.txt')).not.toBe('')
    expect(read(folder, 'conweave', 'fct.txt')).not.toBe('')
    expect(read(folder, 'cost.json')).toBe(cost)
  })

  test('keeps its name, and another result gets a number', () => {
    rocelab(at.folder, 'run', 'small.yaml')
    const { code, stdout } = rocelab(at.folder, 'run', 'small.yaml', '--set', 'description=another')
    expect(code).toBe(0)
    expect(stdout).toMatch(/result in results\/small-s1-[0-9a-f]{8}-2\n$/)
    expect(readdirSync(path.join(at.folder, 'results'))).toHaveLength(2)
  })

  test('is replaced with --force, but a foreign folder never is', () => {
    mkdirSync(path.join(at.folder, 'mine'))
    writeFileSync(path.join(at.folder, 'mine', 'thesis.txt'), 'years of work')
    const { code, stderr } = rocelab(at.folder, 'run', 'small.yaml', '--out', 'mine', '--force')
    expect(code).toBe(2)
    expect(stderr).toContain('--force replaces only results')
    expect(read('mine', 'thesis.txt')).toBe('years of work')
  })
})

describe.skipIf(process.platform === 'win32')('the folder to write', () => {
  test('may exist and be empty, also behind a link', () => {
    mkdirSync(path.join(at.folder, 'empty'))
    symlinkSync('empty', path.join(at.folder, 'link'))
    expect(rocelab(at.folder, 'run', 'small.yaml', '--quiet', '--out', 'link')).toMatchObject({ code: 0, stderr: '' })
    expect(read('empty', 'digest.txt')).toMatch(/^[0-9a-f]{16}\n$/)
    expect(lstatSync(path.join(at.folder, 'link')).isSymbolicLink()).toBe(true)
    expect(readdirSync(path.join(at.folder, 'empty')).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('is refused before anything runs if it is a dangling link', () => {
    symlinkSync('nowhere', path.join(at.folder, 'link'))
    for (const out of ['link', 'link/below']) {
      const { code, stdout, stderr } = rocelab(at.folder, 'run', 'small.yaml', '--out', out)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(`${out}: expected a folder that can be written, received a link to something that`)
    }
  })

  test.skipIf(process.platform !== 'linux').each(['run', 'sweep'])(
    'is refused by %s where no folder can be created',
    (command) => {
      const { code, stdout, stderr } = rocelab(at.folder, command, 'small.yaml', '--out', '/proc/foo/bar')
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^\/proc\/foo\/bar: expected a folder that can be written, received /)
    },
    20_000,
  )
})

describe('bad input', () => {
  test('is reported all at once, each mistake with its position, without a stack', () => {
    const bad = SMALL.replace('hosts: 5', 'hosts: five').replace('100KB', '100').replace('name: small', 'nmae: small')
    writeFileSync(path.join(at.folder, 'bad.yaml'), bad)
    const { code, stdout, stderr } = rocelab(at.folder, 'run', 'bad.yaml', '--set', 'pfc.clases=3')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const lines = stderr.trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('bad.yaml:'))).toHaveLength(3)
    expect(stderr).toMatch(/bad\.yaml:2:\d+: topology\.hosts/)
    expect(stderr).toContain('did you mean name?')
    expect(stderr).toContain('did you mean classes?')
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(existsSync(path.join(at.folder, 'results'))).toBe(false)
  })

  test('that is too large for a text is refused', () => {
    writeFileSync(path.join(at.folder, 'huge.yaml'), '')
    truncateSync(path.join(at.folder, 'huge.yaml'), 600 << 20)
    const { code, stderr } = rocelab(at.folder, 'check', 'huge.yaml')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'huge.yaml: expected a scenario file, received a file of 629 MB (a text may have at most 268 MB)\n',
    })
  })

  test.skipIf(process.platform === 'win32')('includes a current directory that was deleted', () => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && "$0" "$1" list'
    const run = spawnSync('sh', ['-c', script, process.execPath, MAIN], { cwd: at.folder, encoding: 'utf8' })
    expect(run).toMatchObject({ status: 2, stderr: expect.stringMatching(/^rocelab: .* was deleted; .*\n$/) as string })
  })

  test('that only the network shows is reported too', () => {
    const { code, stderr } = rocelab(at.folder, 'run', 'small.yaml', '--set', 'workload.0.senders=99')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--set workload.0.senders=99: workload.0.senders: expected at most 4') as string,
    })
  })

  test('that only the network shows is reported at once, each mistake with its position', () => {
    const text = [
      'name: two',
      'topology: {kind: star, hosts: 4}',
      'switch: {buffer: {size: 10KB}}',
      'nic: {addresses: ["9: 10.0.0.9"]}',
      'balance: {kind: ecmp, seeds: ["3: 1"]}',
      'workload:',
      '  - {kind: incast, senders: 99, receiver: 77, total: 300KB}',
      '  - {kind: closed-loop, pairs: ["0 1", "0 9"], messages: 3}',
      '  - {kind: trace, flows: {file: flows.txt}}',
      'faults:',
      '  - {kind: link-down, links: 0-9, down: 1us}',
      '  - {kind: link-down, links: 0-4, down: 1us}',
      'observe:',
      '  - {kind: queue-depth, ports: "4:9"}',
      '  - {kind: queue-depth}',
      '  - {kind: queue-depth}',
    ].join('\n')
    mkdirSync(path.join(at.folder, 'sub'))
    writeFileSync(path.join(at.folder, 'sub', 'two.yaml'), text)
    writeFileSync(path.join(at.folder, 'sub', 'flows.txt'), '# flows\n0 1 1KB 1us\n\n # again\n  0 9 1KB 1us\n')
    const seen = ['check', 'run', 'sweep'].map((command) => {
      const { code, stdout, stderr } = rocelab(at.folder, command, 'sub/two.yaml')
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      return stderr.trimEnd().split('\n')
    })
    expect(seen[0]!.map((line) => line.replace(/: expected.*/, ''))).toEqual([
      'sub/two.yaml:3:25: switch.buffer.size',
      'sub/two.yaml:4:19: nic.addresses.0',
      'sub/two.yaml:5:31: balance.seeds.0',
      'sub/two.yaml:7:29: workload.0.senders',
      'sub/two.yaml:7:43: workload.0.receiver',
      'sub/two.yaml:8:40: workload.1.pairs.1',
      'sub/flows.txt:5:3: workload.2.flows.1',
      'sub/two.yaml:11:30: faults.0.links',
      'sub/two.yaml:14:32: observe.0.ports',
      'sub/two.yaml:16:5: observe.2',
    ])
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
    expect(existsSync(path.join(at.folder, 'results'))).toBe(false)
  })

  test('that only the network shows is reported together with mistakes of the text', () => {
    const text = [
      'name: many',
      'topology: {kind: star, hosts: 4}',
      'congestion: nne',
      'pfc: {classes: [3]}',
      'switch: {buffer: {kind: shared-buffer, size: 10KB}}',
      'workload:',
      '  - {kind: incast, senders: 99, total: 300KB}',
      '  - {kind: incast, sendrs: 3, total: 300KB}',
      '  - {kind: incast, senders: 3, receiver: 77, total: 300KB}',
      'faults:',
      '  - {kind: bernoulli, probability: 7, links: 0-9}',
      '  - {kind: bernoulli, probability: 0.1, links: 0-9}',
      'observe:',
      '  - {kind: queue-depth, ports: "4:9"}',
    ].join('\n')
    const seen = (source: string): string[] => {
      writeFileSync(path.join(at.folder, 'many.yaml'), source)
      const { code, stdout, stderr } = rocelab(at.folder, 'check', 'many.yaml')
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      return [...stderr.matchAll(/^many.yaml:(\d+):\d+: (\S+): expected/gm)].map(
        ([, line, where]) => `${line} ${where}`,
      )
    }
    const ofHosts = ['5 switch.buffer.size', '7 workload.0.senders', '9 workload.2.receiver', '12 faults.1.links']
    expect(seen(text)).toEqual(['3 congestion', '8 workload.1.sendrs', '11 faults.0.probability', ...ofHosts])
    // Without mistakes of the text, the same are reported, and those of observers too.
    const sound = text.replace('nne', 'none').replace('sendrs', 'senders').replace('probability: 7', 'probability: 0')
    const behind = ['11 faults.0.links', '12 faults.1.links', '14 observe.0.ports']
    expect(seen(sound)).toEqual([...ofHosts.slice(0, 3), ...behind])
    expect(seen(sound.replace('10KB}', '10MB}'))).toEqual([...ofHosts.slice(1, 3), ...behind])
    // If the number of hosts is not known, host numbers are not checked.
    expect(seen(text.replace('hosts: 4', 'hosts: 4x')).map((each) => each.split(' ')[1])).toEqual([
      'topology.hosts',
      'congestion',
      'workload.1.sendrs',
      'faults.0.probability',
    ])
  })

  test.each([
    [['run', 'nowhere.yaml'], 'nowhere.yaml: expected a scenario file, received no such file or folder'],
    [['run', 'below'], 'below: expected a scenario file, received a folder'],
    [['run'], 'Expected argument for FILE'],
    [['run', 'small.yaml', '--seed', 'x'], 'expected a whole number from 0 to 4294967295, received "x"'],
    [['run', 'small.yaml', '--out', 'small.yaml/x'], 'a path through the file small.yaml (choose another folder name)'],
    [['run', 'small.yaml', '--out', 'small.yaml'], 'received a file of that name (choose another folder name)'],
    [['run', 'small.yaml', '--out', ''], 'expected the name of a file or folder, received ""'],
    [['rnu', 'small.yaml'], 'did you mean run'],
    [['run', 'small.yaml', '--sed', '1'], '--seed'],
  ])('%j ends with exit code 2 and a line', (args, expected) => {
    const { code, stdout, stderr } = rocelab(at.folder, ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(expected)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})

test('a run that fills the heap of its thread ends with a message, not with a crash report of V8', () => {
  const many = `name: many
topology: {kind: star, hosts: 3}
workload: [{kind: incast, senders: 2, sizeEach: 1KB, repetitions: 100000000, interval: 1us}]
measure: {stop: 1s}
`
  const { folder, clear } = createFolder({ 'many.yaml': many })
  try {
    const { code, stdout, stderr } = rocelabWith(
      { NODE_OPTIONS: '--max-old-space-size=100' },
      folder,
      'run',
      'many.yaml',
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^rocelab: the memory for flows, queue pairs and series is full \(100 MB per thread\)/)
    expect(stderr.trimEnd().split('\n')).toHaveLength(2)
  } finally {
    clear()
  }
})
