/**
 * `rocelab doctor` and `rocelab drift` on folders of real files: forms of output, exit codes, what is accepted, and folders
 * that are not as they should be.
 */
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, type Ended, rocelab, ROOT } from './program.ts'

const POD = path.join(ROOT, 'tests', 'doctor', 'pod')
const CURED = path.join(ROOT, 'tests', 'doctor', 'pod-cured')
const NIC = readFileSync(path.join(POD, 'gpu1', 'mlnx_qos.txt'), 'utf8')

interface Answer {
  readonly devices: readonly { device: string; kind: string; files: { form: string }[]; unread: string[] }[]
  readonly links: readonly object[]
  readonly counts: Readonly<Record<string, number>>
  readonly findings: readonly {
    id: string
    severity: string
    subject: { device: string; interface?: string; file: string; line: number }
    values: { field?: string }
  }[]
  readonly suppressed: readonly { id: string; reason: string }[]
  readonly waived: readonly { rule: string; device: string; reason: string }[]
  readonly missing: readonly { form: string; devices: string[]; rules: string[] }[]
  readonly held: Readonly<Record<string, number>>
  readonly unreadable: readonly string[]
}
interface Mistakes {
  readonly mistakes: readonly { file: string; line: number; path: string }[]
}

const EDGES = 'device_a,port_a,device_b,port_b,cable_m\n'

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  const accepted = (extra: string): string =>
    `- {id: pfc01, reason: to be rebuilt${extra}}\n- {id: map03, reason: same}\n- {id: pfc06, reason: same}\n`
  at = createFolder({
    'accepted.yaml': accepted(', device: gpu2, interface: eth2'),
    'elsewhere.yaml': accepted(', device: gpu2, interface: eth3'),
    'unknown.yaml': '- {id: pfc99, reason: none}\n',
    'alone/mlnx_qos.txt': NIC,
    'edges/edges.csv': `${EDGES}a,1,b,1,5\na,1,c,1,5\na,2,b,2,long\n`,
    'edges/collected.tsv': 'path\ttime\na/x.txt\tyesterday\n',
    'edges/a/x.txt': 'nothing\n',
    'unknown/a/notes.txt': 'ask Bob\n',
    'plain.txt': 'no folder\n',
    'outside.txt': NIC,
    'outside.csv': `${EDGES}a,1,b,1,5\n`,
    'links/gpu1/mlnx_qos.txt': NIC,
    'cables/gpu1/mlnx_qos.txt': NIC,
  })
  cpSync(POD, path.join(at.folder, 'pod'), { recursive: true })
  cpSync(POD, path.join(at.folder, 'odd'), { recursive: true })
  cpSync(POD, path.join(at.folder, 'unlinked'), { recursive: true, filter: (file) => !file.endsWith('edges.csv') })
  writeFileSync(path.join(at.folder, 'odd', 'gpu1', 'core'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff, 0xfe]))
  mkdirSync(path.join(at.folder, 'empty'))
  symlinkSync(path.join(at.folder, 'outside.txt'), path.join(at.folder, 'links', 'gpu1', 'ethtool.txt'))
  symlinkSync(at.folder, path.join(at.folder, 'links', 'gpu9'))
  symlinkSync(path.join(at.folder, 'outside.csv'), path.join(at.folder, 'cables', 'edges.csv'))
})
afterAll(() => at.clear())

const doctor = (...args: string[]): Ended => rocelab(at.folder, 'doctor', ...args)
const drift = (...args: string[]): Ended => rocelab(at.folder, 'drift', ...args)
const answer = (...args: string[]): Answer => JSON.parse(doctor(...args, '--format', 'json').stdout) as Answer

describe('doctor', () => {
  test('names each end with its line, what is missing, and its worst finding by the exit code', () => {
    const { code, stdout } = doctor('pod')
    expect(code).toBe(3)
    expect(stdout).toContain('gpu2/mlnx_qos.txt:8')
    expect(stdout).toContain('leaf1/running-config.cfg:18')
    const { devices, links, counts, findings, missing, held } = answer('pod')
    expect(devices.map(({ device, kind }) => [device, kind])).toEqual([
      ['gpu1', 'host'],
      ['gpu2', 'host'],
      ['leaf1', 'switch'],
    ])
    expect([links.length, counts]).toEqual([2, { note: 0, warning: 0, error: 3 }])
    expect(findings.map(({ id, subject: { device, interface: port, line } }) => [id, device, port, line])).toEqual([
      ['map03', 'gpu2', 'eth2', 2],
      ['pfc06', 'gpu2', 'eth2', 3],
      ['pfc01', 'gpu2', 'eth2', 8],
    ])
    expect(missing.flatMap(({ rules }) => rules)).toContain('ECN06')
    expect(held['PFC01']).toBe(1)
  })

  test('without links names the rules of both ends, judges each end by itself, and can fail for it', () => {
    const { findings, missing, links } = answer('unlinked')
    const of = (device: string): string[] =>
      missing.flatMap(({ form, devices, rules }) =>
        form.includes('edges.csv') && devices.includes(device) ? rules : [],
      )
    expect(links).toEqual([])
    expect(of('gpu2')).toEqual(expect.arrayContaining(['PFC01', 'MAP03', 'MTU01']))
    expect(of('leaf1')).toContain('PFC01')
    expect(findings.map(({ id }) => id)).toEqual(['pfc06'])
    expect(doctor('unlinked').code).toBe(0)
    expect(doctor('unlinked', '--fail-on', 'unjudged').code).toBe(3)
    expect(doctor('unlinked', '--fail-on', 'warning').code).toBe(3)
    const { runs } = JSON.parse(doctor('unlinked', '--format', 'sarif').stdout) as {
      runs: { invocations: { toolExecutionNotifications: { properties: { rules: string[] } }[] }[] }[]
    }
    const said = runs[0]!.invocations[0]!.toolExecutionNotifications.flatMap(({ properties }) => properties.rules)
    expect(said).toContain('PFC01')
    expect(doctor('unlinked', '--format', 'html').stdout).not.toContain('Nothing is wrong')
  })

  test('judges an error of a list of links as such', () => {
    cpSync(POD, path.join(at.folder, 'misnamed'), { recursive: true })
    writeFileSync(
      path.join(at.folder, 'misnamed', 'edges.csv'),
      `${EDGES}gpu1,eth2,leaf1,Eth1,7\ngpu2,eth2,leaf1,Ethernet1/2,7\n`,
    )
    const { findings } = answer('misnamed')
    const found = findings.filter(({ id }) => id === 'lnk01')
    expect(found.map(({ severity, subject }) => [severity, subject.interface, subject.line])).toEqual([
      ['error', 'Ethernet1/2', 3],
    ])
    expect(doctor('misnamed').code).toBe(3)
  })

  test('finds nothing in the cured folder', () => {
    expect(doctor(CURED).code).toBe(0)
    expect(answer(CURED).findings).toEqual([])
  })

  test('prints SARIF with a place for each line', () => {
    const { code, stdout } = doctor('pod', '--format', 'sarif')
    const { runs } = JSON.parse(stdout) as {
      runs: { results: { ruleId: string; locations: { physicalLocation: object }[] }[] }[]
    }
    expect(code).toBe(3)
    expect(runs[0]!.results.map(({ ruleId }) => ruleId)).toEqual(['map03', 'pfc06', 'pfc01'])
    expect(runs[0]!.results[2]!.locations[0]!.physicalLocation).toEqual({
      artifactLocation: { uri: 'gpu2/mlnx_qos.txt' },
      region: { startLine: 8 },
    })
  })

  test('leaves out what is accepted, at the interface that is named', () => {
    const { findings, suppressed } = answer('pod', '--suppress', 'accepted.yaml')
    expect([findings, suppressed.map(({ id }) => id)]).toEqual([[], ['map03', 'pfc06', 'pfc01']])
    expect(doctor('pod', '--suppress', 'accepted.yaml').code).toBe(0)
    const others = answer('pod', '--suppress', 'elsewhere.yaml')
    expect(others.findings.map(({ id }) => id)).toEqual(['pfc01', 'suppression-unused'])
    expect(doctor('pod', '--suppress', 'elsewhere.yaml').code).toBe(3)
    expect(doctor('pod', '--suppress', 'unknown.yaml').code).toBe(2)
  })

  test('takes rules that no file decides as accepted, and says them', () => {
    const rules = new Set(answer(CURED).missing.flatMap((each) => each.rules))
    const list = [...rules].map((rule) => `- {id: ${rule.toLowerCase()}, reason: no such file}\n`)
    writeFileSync(path.join(at.folder, 'waived.yaml'), list.join(''))
    writeFileSync(path.join(at.folder, 'all-but-one.yaml'), list.slice(1).join(''))
    const codeOf = (accepted: string): number | null =>
      doctor(CURED, '--suppress', accepted, '--fail-on', 'unjudged').code
    expect([codeOf('waived.yaml'), codeOf('all-but-one.yaml')]).toEqual([0, 3])
    const { missing, waived, findings } = answer(CURED, '--suppress', 'waived.yaml')
    expect([missing, findings]).toEqual([[], []])
    expect(new Set(waived.map(({ rule }) => rule))).toEqual(rules)
    expect(waived).toContainEqual({ rule: 'BUF11', device: 'leaf1', reason: 'no such file' })
    for (const format of ['text', 'html', 'sarif'])
      expect(doctor(CURED, '--suppress', 'waived.yaml', '--format', format).stdout).toContain('BUF11')
  })

  test('exits with 3 from the severity on that is asked for', () => {
    const { code } = doctor('pod', '--suppress', 'accepted.yaml', '--fail-on', 'note')
    expect(code).toBe(0)
    expect(doctor('pod', '--fail-on', 'note').code).toBe(3)
    expect(doctor('pod', '--fail-on', 'disaster').code).toBe(2)
  })

  test('reads one device alone', () => {
    expect(answer('alone').devices.map(({ device, files }) => [device, files.map(({ form }) => form)])).toEqual([
      ['alone', ['mlnx_qos']],
    ])
  })

  test('says which files are no texts or of no form', () => {
    expect(answer('odd').unreadable).toEqual(['gpu1/core'])
    expect(doctor('odd').stdout).toContain('gpu1/core')
  })

  test('shows control characters of names by their numbers', () => {
    const name = 'gpu\u001b[2J'
    cpSync(path.join(at.folder, 'pod'), path.join(at.folder, 'named'), { recursive: true })
    cpSync(path.join(at.folder, 'pod', 'gpu2'), path.join(at.folder, 'named', name), { recursive: true })
    writeFileSync(path.join(at.folder, 'named', 'edges.csv'), `${EDGES}gpu1,eth2,leaf1,Ethernet1,7\n`)
    writeFileSync(path.join(at.folder, 'named', name, 'cut.txt'), NIC.slice(0, 80))
    for (const { stdout } of [doctor('named'), drift('named'), drift('pod', 'named')])
      expect(stdout).not.toContain('\u001b')
    expect(doctor('named').stdout).toContain(String.raw`gpu\u001b[2J`)
  })
})

describe('links that lead out of the folder', () => {
  test('are not followed', () => {
    const { devices } = answer('links')
    expect(devices.map(({ device, files }) => [device, files.length])).toEqual([['gpu1', 1]])
  })

  test('are a mistake as a list of links', () => {
    expect(doctor('cables').code).toBe(2)
  })
})

describe('a mistake', () => {
  test('in a list has its line, and all lists are read', () => {
    const { code, stdout, stderr } = doctor('edges')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.match(/(edges\.csv|collected\.tsv):\d+/g)).toEqual(['edges.csv:3', 'edges.csv:4', 'collected.tsv:2'])
  })

  test.each([
    ['a folder that is not there', ['nowhere']],
    ['a file', ['plain.txt']],
    ['an empty folder', ['empty']],
    ['a folder with no file of a known form', ['unknown']],
  ])('is %s', (_, args) => {
    for (const { code, stderr } of [doctor(...args), drift('pod', ...args)])
      expect([code, stderr.length > 0, stderr.includes('    at ')]).toEqual([2, true, false])
  })

  test.skipIf(process.getuid?.() === 0)('is a folder that cannot be read', () => {
    mkdirSync(path.join(at.folder, 'closed', 'a'), { recursive: true })
    chmodSync(path.join(at.folder, 'closed', 'a'), 0)
    expect(doctor('closed').code).toBe(2)
  })
})

describe('drift', () => {
  test('of a folder is none with itself, and none of its roles where all are alike', () => {
    expect(drift('pod', 'pod').stdout.trim()).toBe('no drift')
    expect(drift(CURED).stdout.trim()).toBe('no drift')
  })

  test('of two that differ is said, without blame', () => {
    const { findings } = JSON.parse(drift('pod', '--json').stdout) as Answer
    expect(new Set(findings.map(({ id }) => id))).toEqual(new Set(['split-in-role']))
    expect(findings.map(({ values }) => values.field)).toEqual(expect.arrayContaining(['trust', 'pfcClasses']))
  })

  test('names each difference once, with the line of the running value', () => {
    const { code, stdout } = drift(CURED, 'pod', '--json')
    const { findings } = JSON.parse(stdout) as Answer
    expect(code).toBe(0)
    expect(
      findings.map(({ subject: { device, interface: port, line }, values }) => [device, port, line, values.field]),
    ).toEqual([
      ['gpu2', 'eth2', 2, 'trust'],
      ['gpu2', 'eth2', 8, 'pfcClasses'],
      ['gpu2', 'eth2', 3, 'takesGlobalPause'],
      ['gpu2', 'eth2', 4, 'sendsGlobalPause'],
    ])
    expect(drift(CURED, 'pod', '--fail-on', 'error').code).toBe(3)
    const { runs } = JSON.parse(drift(CURED, 'pod', '--sarif').stdout) as { runs: { results: object[] }[] }
    expect(runs[0]!.results).toHaveLength(4)
  })

  test('of files of no form is a mistake, and no silence', () => {
    expect(drift('unknown').code).toBe(2)
    expect((JSON.parse(drift('unknown', 'pod', '--json').stdout) as Mistakes).mistakes).toHaveLength(1)
  })
})
