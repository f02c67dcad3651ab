import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseScenario, scenarioJsonSchema, scenarioParams } from '../../src/lab/scenario/index.ts'
import { DIALECTS } from '../../src/doctor/devices/dialects/index.ts'
import { VERSION } from '../../src/core/base/version.ts'
import { createFolder, ENDLESS, MAIN, rocelab, ROOT, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL, 'endless.yaml': ENDLESS })
})
afterEach(() => at.clear())

describe('check', () => {
  test('outlines a scenario and runs nothing', () => {
    const { code, stdout } = rocelab(at.folder, 'check', 'small.yaml')
    expect(code).toBe(0)
    expect(stdout).toContain('star: 5 hosts at 100 Gbps, 1 switch, 5 links')
    expect(stdout).toMatch(/^nodes +hosts 0-4; tier 1 \(switch\) 5$/m)
    expect(stdout).toContain('incast: 4 flows, 400 KB')
    // 98 packets of 1024 bytes per flow over two links, and as many ACKs back.
    expect(stdout).toMatch(/^cost +about 392 data packets and 1,568 packet-hops: 0\.20 to 0\.80 s of one core, /m)
    const parsed = JSON.parse(rocelab(at.folder, 'check', 'small.yaml', '--json').stdout) as { cost: object }
    expect(parsed.cost).toMatchObject({ dataPackets: 392, packetHops: 1568 })
  })

  test('names a scenario without a name after its file, and standard input "scenario"', () => {
    const text = SMALL.replace('name: small\n', '')
    writeFileSync(path.join(at.folder, 'unnamed.yaml'), text)
    expect(rocelab(at.folder, 'check', 'unnamed.yaml').stdout).toMatch(/^scenario +unnamed, seed 1$/m)
    const read = spawnSync(process.execPath, [MAIN, 'check', '-'], { input: text, encoding: 'utf8' })
    expect(read.stdout).toMatch(/^scenario +scenario, seed 1$/m)
    expect(rocelab(at.folder, 'run', 'unnamed.yaml', '--quiet').stdout).toMatch(/^results\/unnamed-s1-/)
  })

  test('shows that a closed loop without a number of messages is open-ended', () => {
    const args = ['--set', 'workload.0.messages=off', '--set', 'measure.stop=1s']
    const { stdout } = rocelab(at.folder, 'check', 'endless.yaml', ...args)
    expect(stdout).toContain('8 flows, 8.00 GB at first, more as they finish')
    expect(rocelab(at.folder, 'check', 'endless.yaml').stdout).toContain('8,000 flows, 8.00 TB')
  })

  test('notes that flows may stall, which is not a mistake', () => {
    const { code, stdout } = rocelab(
      at.folder,
      'check',
      'small.yaml',
      '--set',
      'recovery=irn',
      '--set',
      'pfc.classes=[]',
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(/^warning +packets may be lost /m)
    expect(rocelab(at.folder, 'check', 'small.yaml').stdout).not.toMatch(/^(note|warning|error) /m)
    const json = rocelab(at.folder, 'check', 'small.yaml', '--set', 'pfc.classes=[]', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({
      findings: [
        {
          id: 'loss-without-timeout',
          severity: 'warning',
          subject: { path: 'qp.ackTimeout', file: 'small.yaml' },
          values: { causes: ['no-pfc'] },
          also: [],
        },
      ],
      suppressed: [],
    })
  })

  test('the exit code tells of findings only where it is asked, and suppressed ones do not count', () => {
    const lossy = ['check', 'small.yaml', '--set', 'pfc.classes=[]']
    const codeOf = (...more: string[]): number | null => rocelab(at.folder, ...lossy, ...more).code
    expect([
      codeOf(),
      codeOf('--fail-on', 'error'),
      codeOf('--fail-on', 'warning'),
      codeOf('--fail-on', 'note'),
    ]).toEqual([0, 0, 3, 3])
    writeFileSync(path.join(at.folder, 'accepted.yaml'), '- {id: loss-without-timeout, reason: losses are meant}\n')
    expect(codeOf('--fail-on', 'note', '--suppress', 'accepted.yaml')).toBe(0)
    const { stdout } = rocelab(at.folder, ...lossy, '--suppress', 'accepted.yaml', '--sarif')
    const [result] = (JSON.parse(stdout) as { runs: { results: object[] }[] }).runs[0]!.results
    expect(result).toMatchObject({
      ruleId: 'loss-without-timeout',
      suppressions: [{ kind: 'external', justification: 'losses are meant' }],
      locations: [{ physicalLocation: { artifactLocation: { uri: 'small.yaml' } } }],
    })
  })

  test('mistakes in a list of suppressions are reported with their lines', () => {
    writeFileSync(path.join(at.folder, 'wrong.yaml'), '- {id: loss-without-timeout}\n- id: none\n  reason: x\n')
    const { code, stderr } = rocelab(at.folder, 'check', 'small.yaml', '--suppress', 'wrong.yaml')
    expect([code, stderr.match(/^wrong\.yaml:\d+:\d+: \d\.\w+: /gmu)]).toEqual([
      2,
      ['wrong.yaml:1:3: 0.reason: ', 'wrong.yaml:2:7: 1.id: '],
    ])
  })

  test('refuses a network whose links or routes do not fit the memory, like run', () => {
    const switches = ['--set', 'topology={kind: rails, rails: 64, groups: 512, hostsPerGroup: 1, spines: 1}']
    const { code, stderr } = rocelab(at.folder, 'check', 'small.yaml', ...switches)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^--set topology=\{kind: rails.*: topology: expected at most 268435456 routes, .*\n$/)
    expect(stderr).toContain('received 32769 switches times 32768, 1073774592 (')
    expect(rocelab(at.folder, 'run', 'small.yaml', ...switches)).toMatchObject({ code, stderr })
    for (const large of [
      '{kind: planes, planes: 64, leaves: 512, hostsPerLeaf: 512}',
      '{kind: fat-tree, arity: 128}',
    ]) {
      const refused = rocelab(at.folder, 'check', 'small.yaml', '--set', `topology=${large}`)
      expect(refused.code).toBe(2)
      expect(refused.stderr).toMatch(/topology: expected at most 524288 links, received more \(.*\n$/)
    }
  })

  test('reports a key that an override lacks at the override', () => {
    const { stderr } = rocelab(at.folder, 'check', 'small.yaml', '--set', 'faults.0.kind=link-down')
    expect(stderr.split('\n').map((line) => line.slice(0, 44))).toEqual([
      '--set faults.0.kind=link-down: faults.0.link',
      '--set faults.0.kind=link-down: faults.0.down',
      '',
    ])
  })

  test('counts the flows that a run starts', () => {
    const poisson = ['--set', 'workload.0={kind: poisson, load: 0.5}', '--set', 'measure.generate=1ms', '--seed', '3']
    const { workloads } = JSON.parse(rocelab(at.folder, 'check', 'small.yaml', '--json', ...poisson).stdout) as {
      workloads: { messages: number; how: string }[]
    }
    const { flows } = JSON.parse(rocelab(at.folder, 'run', 'small.yaml', '--json', ...poisson).stdout) as {
      flows: { finished: number; unfinished: number }
    }
    expect(workloads).toMatchObject([{ how: 'exact', messages: flows.finished + flows.unfinished }])
    expect(flows.finished).toBeGreaterThan(5)
  })
})

describe('list', () => {
  const kinds = ['topology', 'workload', 'sizes', 'balance', 'recovery', 'congestion', 'buffer', 'fault', 'metric']

  test('has every kind that a scenario chooses from, with help for each entry', () => {
    const entries = JSON.parse(rocelab(at.folder, 'list', '--json').stdout) as Record<
      'kind' | 'name' | 'help',
      string
    >[]
    for (const kind of [...kinds, 'importer', 'exporter']) {
      expect(entries.filter((entry) => entry.kind === kind).length, kind).toBeGreaterThan(0)
    }
    for (const entry of entries) expect(entry.help, entry.name).not.toBe('')
    const topologies = entries.filter((entry) => entry.kind === 'topology').map((entry) => entry.name)
    expect(topologies).toEqual(scenarioParams.fields.topology.definitions.map((definition) => definition.name))
  })

  test('shows the parameters of one entry, named with or without its kind', () => {
    const { stdout } = rocelab(at.folder, 'list', 'congestion', 'dcqcn')
    expect(stdout).toMatch(/cnpInterval +duration +50us/)
    expect(rocelab(at.folder, 'list', 'dcqcn').stdout).toBe(stdout)
    expect(rocelab(at.folder, 'list', 'topologies').stdout).toContain('fat-tree')
  })

  test('without arguments fits a terminal of 80 by 24, and names everything that a scenario can name', () => {
    const { stdout } = rocelab(at.folder, 'list')
    const lines = stdout.trimEnd().split('\n')
    // The last line is left for the prompt.
    expect(lines.length).toBeLessThanOrEqual(23)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    const entries = JSON.parse(rocelab(at.folder, 'list', '--json').stdout) as Record<'kind' | 'name', string>[]
    const text = stdout.replaceAll(/\s+/g, ' ')
    const aside = ['importer', 'exporter', 'experiment', 'hardware', 'absent']
    const shown = entries.filter(({ kind }) => !aside.includes(kind))
    expect(shown.filter(({ kind, name }) => !text.includes(kind) || !text.includes(name))).toEqual([])
    expect(text).toContain('also importer, exporter, experiment, hardware or absent')
    expect(text).toContain('rocelab list NAME its parameters')
  })

  test('shows the units of a parameter that may be off', () => {
    const { stdout } = rocelab(at.folder, 'list', 'group', 'measure')
    expect(stdout).toMatch(/generate +duration +off +ps ns us ms s, or off /)
    expect(stdout).toMatch(/completion +choice +receiver +receiver, sender /)
  })

  test('forms has each form of files, with what is not read of it', () => {
    const listed = JSON.parse(rocelab(at.folder, 'list', 'forms', '--json').stdout) as { form: string }[]
    expect(listed.map(({ form }) => form)).toEqual(DIALECTS.map(({ title }) => title))
    const { stdout } = rocelab(at.folder, 'list', 'forms')
    expect(stdout).toMatch(/^mlnx_qos -i IF +rate limits/m)
  })

  test.each([
    [['list', 'dcqnc'], 'did you mean dcqcn?'],
    [['list', 'congestion', 'fat-tree'], 'expected a congestion: none, dcqcn'],
    [['list', 'congestion', 'irn'], '(irn is of kind recovery: rocelab list recovery irn)'],
    [['list', 'matrix', 'irn'], 'expected nothing after matrix, received "irn"'],
    [['list', 'constructor'], 'expected a kind or a name, received "constructor"'],
    [['list', 'dcqcn', 'extra'], 'expected nothing after the name dcqcn, received "extra"'],
    [['list', 'a', 'b', 'c'], 'Too many arguments'],
  ])('%j is a mistake', (args, expected) => {
    expect(rocelab(at.folder, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(expected) as string })
  })
})

test('all mistakes of a command line are reported at once, and nothing is done', () => {
  const words = ['run', 'small.yaml', '--seed', 'x', '--sede', '4', '--focre', '-q', '--set', 'a=b', '--out', '']
  const { code, stdout, stderr } = rocelab(at.folder, ...words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.trimEnd().split('\n')).toEqual([
    'rocelab: no option --sede; did you mean --seed?',
    'rocelab: no option --focre; did you mean --force?',
    'rocelab: no option -q',
    expect.stringContaining('--out: expected the name of a file or folder') as string,
    expect.stringContaining('--seed: expected a whole number from 0') as string,
  ])
  // The next word may be the value of the unknown option, so it is not reported as one argument too many.
  expect(rocelab(at.folder, 'run', '--bogus', 'small.yaml').stderr).toBe('rocelab: no option --bogus\n')
})

test('with --json, mistakes are also JSON on standard output', () => {
  const mistakes = (...args: string[]): unknown[] => {
    const { code, stdout, stderr } = rocelab(at.folder, ...args, '--json')
    expect(code).toBe(2)
    const parsed = (JSON.parse(stdout) as { mistakes: { text: string }[] }).mistakes
    expect(stderr).toBe(parsed.map(({ text }) => `${text}\n`).join(''))
    return parsed
  }
  writeFileSync(path.join(at.folder, 'wrong.yaml'), SMALL.replace('hosts: 5', 'hosts: many, colour: red'))
  const all = mistakes('run', 'wrong.yaml')
  expect(all).toHaveLength(2)
  expect(all).toContainEqual(
    expect.objectContaining({ file: 'wrong.yaml', path: 'topology.colour', line: expect.any(Number) }),
  )
  expect(mistakes('check', 'gone.yaml')).toMatchObject([{ file: 'gone.yaml', expected: 'a scenario file' }])
  expect(mistakes('sweep', 'small.yaml', '--jbos', '--jobs', 'x')).toMatchObject([
    { text: 'rocelab: no option --jbos; did you mean --jobs?' },
    { text: expect.stringContaining('--jobs: expected') },
  ])
  expect(mistakes('compere')).toHaveLength(1)
})

describe('compare', () => {
  test('pairs flows of two results', () => {
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'a')
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'b', '--set', 'topology.linkRate=50Gbps')
    const { code, stdout } = rocelab(at.folder, 'compare', 'a', 'b')
    expect(code).toBe(0)
    expect(stdout).toMatch(/flows compared +4\n/)
    const json = JSON.parse(rocelab(at.folder, 'compare', 'a', 'b', '--json').stdout) as { meanCompletionRatio: number }
    expect(json.meanCompletionRatio).toBeGreaterThan(1.9)
    expect(json.meanCompletionRatio).toBeLessThan(2.1)
  })

  test('pairs messages of closed loops by order, since their starts differ from run to run', () => {
    const loop = 'workload=[{kind: closed-loop, messages: 20}, {kind: incast, senders: 2}]'
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'a', '--set', loop)
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'b', '--set', loop, '--set', 'topology.linkRate=50Gbps')
    const { stdout } = rocelab(at.folder, 'compare', 'a', 'b')
    expect(stdout).toMatch(/flows compared +22 \(20 of them by their order: they start when others are finished\)\n/)
    expect(stdout).toMatch(/flows in one only +A 0, B 0\n/)
  })

  test.each(['hpcc', 'conweave'])("takes another simulator's completion times (%s)", (format) => {
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'a', '--export', format)
    const { stdout } = rocelab(at.folder, 'compare', 'a', `a/${format}/fct.txt`)
    expect(stdout).toMatch(/flows compared +4\n/)
    expect(stdout).toMatch(/flows in one only +A 0, B 0\n/)
    expect(stdout).toMatch(/deviation +median 0 %, p90 0 %, worst 0 %/)
  })

  test('reports partial results, and that no flows match', () => {
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'a')
    rocelab(at.folder, 'run', 'small.yaml', '--out', 'b', '--set', 'workload.0.sizeEach=50KB')
    expect(rocelab(at.folder, 'compare', 'a', 'a').stderr).toBe('')
    const head = path.join(at.folder, 'a', 'result.json')
    // Edited on purpose: without checksums.
    const text = readFileSync(head, 'utf8').replace(/,\s*"sha256": \{[^}]*\}/, '')
    writeFileSync(head, text.replace('"partial": false', '"partial": true'))
    const { code, stdout, stderr } = rocelab(at.folder, 'compare', 'a', 'b', '--json')
    expect(code).toBe(0)
    expect(stderr.split('\n')).toEqual([
      'rocelab: a is partial: its run was interrupted, and flows may be missing or unfinished',
      expect.stringContaining('nothing to compare in a and b: no flow that finished in both') as string,
      '',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ flowsCompared: 0, isPartialA: true, isPartialB: false })
  })

  test('reports arguments that are not results', () => {
    writeFileSync(path.join(at.folder, 'fct.txt'), '0b000101 0b000201 10000 100 1000 0 500 400\nhello\n')
    mkdirSync(path.join(at.folder, 'empty'))
    const stderrOf = (a: string, b: string): string => rocelab(at.folder, 'compare', a, b).stderr
    expect(stderrOf('fct.txt', 'fct.txt')).toContain('fct.txt:2:1: expected `sip dip')
    // Other files are not read.
    writeFileSync(path.join(at.folder, 'empty', 'image.iso'), '')
    truncateSync(path.join(at.folder, 'empty', 'image.iso'), 5_000_000_000)
    expect(stderrOf('empty', 'empty')).toBe(
      'empty: result.json: expected a file of a result, received no such file (a result is a folder that `rocelab run` has written)\n',
    )
    expect(rocelab(at.folder, 'run', 'small.yaml', '--quiet', '--out', 'cut').code).toBe(0)
    truncateSync(path.join(at.folder, 'cut', 'flows.parquet'), 1000)
    expect(rocelab(at.folder, 'compare', 'cut', 'cut')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cut: flows.parquet: expected the file as it was written, received') as string,
    })
    expect(stderrOf('nowhere', 'none').split('\n')).toEqual([
      expect.stringMatching(/^nowhere: expected a result folder/) as string,
      expect.stringMatching(/^none: expected a result folder/) as string,
      '',
    ])
    expect(stderrOf('nowhere', 'empty')).toContain('nowhere: expected a result folder or an fct.txt')
  })
})

describe('import', () => {
  const FILES = {
    'topology.txt': '3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 0\n',
    'flow.txt': '1\n0 1 3 100 100000 2.0\n',
    'config.txt': [
      'TOPOLOGY_FILE topology.txt',
      'FLOW_FILE flow.txt',
      'KMAX_MAP 1 100000000000 400',
      'KMIN_MAP 1 100000000000 100',
      'PMAX_MAP 1 100000000000 0.2',
      'SIMULATOR_STOP_TIME 3',
      '',
    ].join('\n'),
  }

  test('writes a scenario that runs, and notes its assumptions on standard error', () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(at.folder, name), text)
    const printed = rocelab(at.folder, 'import', 'hpcc', 'config.txt', '--congestion', 'none')
    expect(printed.code).toBe(0)
    expect(printed.stderr).toContain('note: ')
    expect(parseScenario(printed.stdout).congestion.kind).toBe('none')
    expect(
      rocelab(at.folder, 'import', 'hpcc', 'config.txt', '--congestion', 'none', '--out', 'imported.yaml').stdout,
    ).toBe('')
    expect(readFileSync(path.join(at.folder, 'imported.yaml'), 'utf8')).toBe(printed.stdout)
    expect(rocelab(at.folder, 'run', 'imported.yaml', '--quiet').code).toBe(0)
  })

  interface ImportJson {
    readonly schemaVersion: number
    readonly scenario: string
    readonly findings: readonly { id: string; severity: string; values: object; text: string }[]
  }

  test('prints one JSON object on request, with the scenario and what else is printed on standard error', () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(at.folder, name), text)
    const args = ['import', 'hpcc', 'config.txt', '--congestion', 'none']
    const plain = rocelab(at.folder, ...args)
    const { code, stdout, stderr } = rocelab(at.folder, ...args, '--json')
    const { schemaVersion, scenario, findings } = JSON.parse(stdout) as ImportJson
    expect([code, stderr, schemaVersion, scenario]).toEqual([0, '', 1, plain.stdout])
    expect(findings.map(({ id }) => id)).toContain('import-replaced')
    expect(findings.map(({ severity, text }) => `${severity}: ${text}\n`).join('')).toBe(plain.stderr)
  })

  test('prints the same findings as SARIF, with the scenario in a file', () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(at.folder, name), text)
    const args = ['import', 'hpcc', 'config.txt', '--congestion', 'none']
    const { findings } = JSON.parse(rocelab(at.folder, ...args, '--json').stdout) as ImportJson
    const { code, stdout, stderr } = rocelab(at.folder, ...args, '--out', 'net.yaml', '--sarif')
    const { runs } = JSON.parse(stdout) as { runs: { results: { ruleId: string }[] }[] }
    expect([code, stderr, runs[0]!.results.map(({ ruleId }) => ruleId)]).toEqual([0, '', findings.map(({ id }) => id)])
    expect(readFileSync(path.join(at.folder, 'net.yaml'), 'utf8')).toContain('topology:')
    expect(rocelab(at.folder, ...args, '--sarif').code).toBe(2)
  })

  test('ends with exit code 3 if a finding is at least as severe as --fail-on says', () => {
    const files = { ...FILES, 'config.txt': `${FILES['config.txt']}COLOUR 3\n` }
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(at.folder, name), text)
    const args = ['import', 'hpcc', 'config.txt', '--congestion', 'none', '--fail-on']
    const code = (least: string): number | null => rocelab(at.folder, ...args, least).code
    expect(['note', 'warning', 'error', 'mistake'].map(code)).toEqual([3, 3, 0, 2])
    const stopped = rocelab(at.folder, ...args, 'note', '--topology', 'no.txt')
    expect(stopped.code).toBe(2)
    expect(stopped.stderr).toContain('COLOUR')
  })

  test('hosts that cannot reach each other are said by the import and by check, with the numbers of pairs and flows', () => {
    // The first line declares six of eight links: two switches are joined to nothing.
    const links = [
      '0 4 100Gbps',
      '1 5 100Gbps',
      '2 6 100Gbps',
      '3 7 100Gbps',
      '4 8 400Gbps',
      '5 8 400Gbps',
      '6 8 400Gbps',
      '7 8 400Gbps',
    ]
    const text = `9 5 6\n4 5 6 7 8\n${links.map((link) => `${link} 0.0005ms 0\n`).join('')}`
    writeFileSync(path.join(at.folder, 'net.txt'), text)
    const args = ['import', 'topology', 'net.txt', '--out', 'net.yaml', '--json']
    const { findings, scenario } = JSON.parse(rocelab(at.folder, ...args).stdout) as ImportJson
    expect(scenario).toBe('net.yaml')
    expect(findings.find(({ id }) => id === 'hosts-unreachable')?.values).toMatchObject({ pairs: 10, ofPairs: 12 })
    const { stdout } = rocelab(at.folder, 'check', 'net.yaml', '--json')
    const checked = JSON.parse(stdout) as { findings: { id: string; values: object }[] }
    expect(checked.findings.find(({ id }) => id === 'hosts-unreachable')?.values).toMatchObject({
      pairs: 10,
      ofPairs: 12,
      flows: 3,
    })
  })

  test('a scenario that is not valid is written, and its mistakes are reported with exit code 2', () => {
    // A headroom of two round trips of 400 ms at 100 Gb/s is more than the largest memory that is chosen.
    writeFileSync(path.join(at.folder, 'far.txt'), '3 1 2\n2\n0 2 100Gbps 400ms 0\n1 2 100Gbps 1us 0\n')
    const { code, stderr } = rocelab(at.folder, 'import', 'topology', 'far.txt', '--out', 'far.yaml')
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^far\.yaml: switch\.buffer\.size: expected more than the \d+ bytes that reserves and headroom/mu,
    )
    expect(rocelab(at.folder, 'check', 'far.yaml', '--set', 'switch.buffer.size=16GB').code).toBe(0)
  })

  test('replaces another file only with --force, and its input files never', () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(at.folder, name), text)
    const args = ['import', 'hpcc', 'config.txt', '--congestion', 'none', '--out']
    for (const input of ['config.txt', 'flow.txt']) {
      const { code, stderr } = rocelab(at.folder, ...args, input, '--force')
      expect(code).toBe(2)
      expect(stderr).toContain(`--out: expected a new file, received an input file: ${input}`)
      expect(readFileSync(path.join(at.folder, input), 'utf8')).toBe(FILES[input as keyof typeof FILES])
    }
    expect(rocelab(at.folder, ...args, 'new.yaml').code).toBe(0)
    expect(rocelab(at.folder, ...args, 'new.yaml').code).toBe(0)
    const refused = rocelab(at.folder, ...args, 'small.yaml')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--force replaces it') as string })
    expect(readFileSync(path.join(at.folder, 'small.yaml'), 'utf8')).toBe(SMALL)
    expect(rocelab(at.folder, ...args, 'small.yaml', '--force').code).toBe(0)
    expect(rocelab(at.folder, 'run', 'small.yaml', '--quiet').code).toBe(0)
  })

  test.each([
    [['import', 'hpcc', '.'], '.: expected a file to import, received a folder'],
    [['schema', '--out', ''], 'expected the name of a file or folder, received ""'],
    [['import'], 'import: expected one of hpcc, '],
    [['import', '--'], 'import: expected one of hpcc, '],
    [['import', 'hpcc'], 'expected a file'],
    [['import', 'hpc'], 'did you mean hpcc'],
    [['import', 'hpcc', 'config.txt', '--dialect', 'ns4'], 'received "ns4"'],
    [['import', 'hpcc', 'nowhere.txt'], 'nowhere.txt'],
  ])('%j is a mistake', (args, expected) => {
    expect(rocelab(at.folder, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(expected) as string })
  })
})

test('the published schema is the one that the program prints', () => {
  const published = readFileSync(path.join(ROOT, 'schema', 'scenario.schema.json'), 'utf8')
  expect(rocelab(at.folder, 'schema').stdout).toBe(published)
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())))
  rocelab(at.folder, 'schema', '--out', 'mine.json')
  expect(readFileSync(path.join(at.folder, 'mine.json'), 'utf8')).toBe(published)
  const { title } = JSON.parse(published) as { title: string }
  writeFileSync(path.join(at.folder, 'mine.json'), JSON.stringify({ title, of: 'an earlier version' }))
  expect(rocelab(at.folder, 'schema', '--out', 'mine.json').code).toBe(0)
  expect(readFileSync(path.join(at.folder, 'mine.json'), 'utf8')).toBe(published)
  expect(rocelab(at.folder, 'schema', '--out', 'small.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--force replaces it') as string,
  })
})

test('version, help and completion print their output', () => {
  expect(rocelab(at.folder, 'version').stdout).toContain(`rocelab ${VERSION}`)
  expect(rocelab(at.folder, '--version').stdout).toBe(`${VERSION}\n`)
  expect(rocelab(at.folder, 'help', 'run').stdout).toBe(rocelab(at.folder, 'run', '--help').stdout)
  expect(rocelab(at.folder, 'run', '--help').stdout).toContain('Examples:')
  expect(rocelab(at.folder, 'completion', 'bash').stdout).toContain('complete -o filenames')
  expect(rocelab(at.folder, 'complete', '--', 'sw').stdout).toBe('sweep\n')
  expect(rocelab(at.folder, 'complete', '--', 'run', '--se').stdout).toBe('--seed\n--set\n--serve-metrics\n')
})

test('two dashes before a command are ignored', () => {
  expect(rocelab(at.folder, '--', 'run', 'small.yaml', '--quiet', '--out', 'here')).toMatchObject({
    code: 0,
    stdout: 'here\n',
  })
  const nowhere = rocelab(at.folder, '--', 'run', 'nowhere.yaml')
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere.yaml: expected') as string })
  expect(rocelab(at.folder, '--', '--version').stdout).toBe(`${VERSION}\n`)
})

test.skipIf(process.platform === 'win32')('a closed pipe is not an error', () => {
  const pipe = (args: string): string => {
    const script = `"${process.execPath}" "${MAIN}" ${args} | head -c 20; echo " \${PIPESTATUS[0]}"`
    return execFileSync('bash', ['-c', script], {
      cwd: at.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  expect(pipe('list --json')).toMatch(/ 0\n$/)
  expect(pipe('run small.yaml')).toMatch(/ 0\n$/)
})

test('npm start runs commands in the current directory of the user', () => {
  const npm = spawnSync(
    'npm',
    ['--silent', '--prefix', ROOT, 'start', '--', 'run', 'small.yaml', '--quiet', '--out', 'here'],
    {
      cwd: at.folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  )
  expect({ status: npm.status, stdout: npm.stdout }).toEqual({ status: 0, stdout: 'here\n' })
  expect(readFileSync(path.join(at.folder, 'here', 'digest.txt'), 'utf8')).toMatch(/^[0-9a-f]{16}\n$/)
})
