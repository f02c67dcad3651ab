import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder, rocelab, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => at.clear())

interface Sum {
  readonly bytes: number
  readonly terms: readonly { readonly name: string; readonly bytes: number; readonly formula: string }[]
}
interface Port {
  readonly ports: number
  readonly strict: Sum
  readonly asic: Sum | null
  readonly givenBytes: number
}

function portsOf(...args: string[]): readonly Port[] {
  const { code, stdout, stderr } = rocelab(at.folder, 'headroom', ...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return (JSON.parse(stdout) as { ports: Port[] }).ports
}

describe('a port by rate and cable', () => {
  test('both sums, term by term', () => {
    const args = ['--rate', '400Gbps', '--length', '300m', '--mtu', '1024B', '--family', 'spc4']
    const { code, stdout } = rocelab(at.folder, 'headroom', ...args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^400 Gbps, 1\.50 us \(300 m of cable\)$/m)
    expect(stdout).toMatch(/^cable there and back +150,000 +2 x 1\.5us x 400Gbps \/ 8 +802\.1Qbb annex O/m)
    expect(stdout).toMatch(/^needed +150,276 +the sum$/m)
    expect(stdout).toMatch(/^spc4, NVIDIA Spectrum-4: the vendor's formula and constants/m)
    expect(stdout).toMatch(
      /^peer's reaction +57,920 +301\.7 +905 quanta x 64: the bound at 400Gbps +802\.3 31B\.3\.7$/m,
    )
    // The row of the SN5600 for 400 Gb/s and 300 m.
    expect(stdout).toMatch(/^needed +677,888 +3,530\.7 +the sum$/m)
    expect(stdout).not.toContain('margin')
  })

  test('JSON has the same sums, and their terms add up', () => {
    const [port] = portsOf('--rate', '400Gbps', '--length', '0.005km', '--family', 'spc4', '--mtu', '1024B')
    expect(port!.asic!.bytes).toBe(231_424)
    for (const { bytes, terms } of [port!.strict, port!.asic!])
      expect(terms.reduce((sum, term) => sum + term.bytes, 0)).toBeCloseTo(bytes, 6)
  })

  test('more classes, longer frames and any parameter make it larger', () => {
    const base = ['--rate', '100Gbps', '--length', '40m']
    const bytes = (...more: string[]): number => portsOf(...base, ...more)[0]!.strict.bytes
    const least = bytes()
    // A refresh and a resume of the other class.
    expect(bytes('--classes', '2') - least).toBe(2 * 84)
    expect(bytes('--mtu', '4174B')).toBeGreaterThan(least + 2 * 3072)
    expect(bytes('--set', 'pfc.reactionTime=1us') - least).toBeGreaterThan(12_000)
  })

  test('a cable of 1000 km is the longest', () => {
    const args = ['--rate', '100G', '--family', 'th3']
    expect(portsOf(...args, '--length', '1000km')).toHaveLength(1)
    const { code, stderr } = rocelab(at.folder, 'headroom', ...args, '--length', '1000.001km')
    expect([code, stderr]).toEqual([2, expect.stringContaining('1000.001km')])
  })

  test('rates, lengths and families as people write them', () => {
    const plain = portsOf('--rate', '100Gbps', '--length', '40m', '--family', 'th3')
    for (const [rate, length, family] of [
      ['100G', '40', 'TH3'],
      ['100g', '40 m', 'Th3'],
      ['0.1T', '0.04km', 'th3'],
    ] as const)
      expect(portsOf('--rate', rate, '--length', length, '--family', family)).toEqual(plain)
    const { code, stderr } = rocelab(at.folder, 'headroom', '--rate', '100G', '--length', '40', '--family', 'th9')
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected one of spc1, ')])
  })

  test('shipped headroom of switches, beside an estimate, and by how much they differ', () => {
    const th5 = (rate: string, length: string): string =>
      rocelab(at.folder, 'headroom', '--rate', rate, '--length', length, '--family', 'th5').stdout
    expect(th5('800G', '5')).toMatch(
      /^estimate +220,980 .*^Arista-7060X6-64PE-B-P32O64 +724,662 +503,682 +sonic-buildimage, device\/arista/ms,
    )
    expect(th5('400G', '5')).toMatch(/^Arista-7060X6-64PE-B-P32O64 +425,958 .*^Arista-7060X6-64PE-B-O128 +445,770 /ms)
    expect(th5('400G', '41')).toContain('the need is not known')
    expect(portsOf('--rate', '800G', '--length', '300', '--family', 'th5')).toMatchObject([
      { asic: { bytes: 1_112_774 }, shipped: [{ bytes: 1_621_536 }] },
    ])
  })

  test('without a family it says how to name one', () => {
    const { stdout } = rocelab(at.folder, 'headroom', '--rate', '100Gbps', '--length', '5m')
    expect(stdout).toContain('hardware needs more: name its family with --family or switch.family')
  })
})

describe('a scenario', () => {
  test('each kind of port with what its buffer keeps', () => {
    const { stdout } = rocelab(at.folder, 'headroom', 'small.yaml', '--family', 'th5')
    expect(stdout).toMatch(/^th5: cannot tell$/m)
    expect(stdout).toMatch(/^switch, port to host 0, and 4 ports like it: 100 Gbps, /)
    expect(stdout).toMatch(/^kept +[\d,]+ +by the buffer, for a class at this port$/m)
    expect(stdout).toMatch(/^margin +-[\d,]+ +-[\d,.]+ +kept - needed$/m)
  })

  test('kinds differ by rate, by cable and by what changes at single devices', () => {
    const set = ['--set', 'topology={kind: dumbbell, bottleneckRate: 40Gbps}']
    const change = ['--set', 'changes=[{path: switch.family, value: spc1, nodes: right}]']
    const ports = portsOf('small.yaml', ...set, '--set', 'workload=[{kind: permutation}]', ...change)
    expect(ports.map(({ asic }) => (asic === null ? 'none' : 'asic')).toSorted()).toEqual([
      'asic',
      'asic',
      'none',
      'none',
    ])
  })

  test('a file named - is standard input, as elsewhere; a file that does not exist is a mistake', () => {
    const { code, stderr } = rocelab(at.folder, 'headroom', 'none.yaml')
    expect([code, stderr]).toEqual([2, expect.stringContaining('none.yaml')])
  })
})

test.each([
  [['--rate', '400Gbps'], /^--length: expected a scenario FILE, or --rate and --length of a port, received nothing/],
  [[], /^--rate: expected a scenario FILE, or --rate and --length of a port, received nothing/],
  [
    ['--rate', '400', '--length', '5m'],
    /^--rate: expected a rate from 1Mbps to 10Tbps, such as 400Gbps, received "400"/,
  ],
  [
    ['--rate', '1Gbps', '--length', '5ft'],
    /^--length: expected a length up to 1000km, such as 300m, 2km or 300 \(metres\), received "5ft"/,
  ],
  [['--rate', '1Gbps', '--length', '5m', '--mtu', '64B'], /^--mtu: expected a size from 128B to 9294B/],
  [['--rate', '1Gbps', '--length', '5m', '--classes', '9'], /^--classes: expected a whole number from 1 to 8/],
  [['small.yaml', '--rate', '1Gbps'], /^--rate: expected either a scenario file or a port, received both/],
  [['small.yaml', '--set', 'pfc.classes=[]'], /^pfc\.classes: expected a lossless class at some port of a switch/],
  [['small.yaml', '--set', 'pfc.nothing=1'], /pfc\.nothing/],
  [['small.yaml', '--family', 'spc9'], /"spc9"/],
])('%j: one clear message and exit code 2', (args, message) => {
  const { code, stdout, stderr } = rocelab(at.folder, 'headroom', ...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toMatch(message)
})
