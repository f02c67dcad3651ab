/** Junos: stories of one configuration in both forms, what is inherited, and texts that are damaged. */
import { fc } from '../../../../../tests/support/properties.ts'
import { describe, expect, test } from 'vitest'
import { Facts } from '../facts.ts'
import { readFile } from '../index.ts'
import { partsOf } from '../text.ts'
import { junos } from './junos.ts'
import { matches } from './names.ts'

/** A port with PFC on priority 3, whose class is in queue 4 while pauses stop queue 3. */
const WHOLE = `system { host-name leaf; }
interfaces {
    et-0/0/1 { description "set class-of-service"; mtu 9216; speed 400g; unit 0 { family inet { address 10.0.0.0/31; } } }
    et-0/0/2 { speed 400g; }
    et-0/0/2:0 { mtu 9216; }
}
class-of-service {
    classifiers {
        dscp CL {
            forwarding-class CNP { loss-priority low code-points cs6; }
            forwarding-class NL { loss-priority low code-points [ af31 011011 ]; }
        }
    }
    drop-profiles { DP { interpolate { fill-level [ 20 60 ]; drop-probability [ 0 80 ]; } } }
    shared-buffer { ingress { buffer-partition lossless-headroom { percent 30; } } }
    forwarding-classes {
        class CNP queue-num 6;
        class NL queue-num 4 no-loss pfc-priority 3; ## one line
    }
    congestion-notification-profile {
        P {
            pfc-watchdog { detection 3; poll-interval 50; }
            input { dscp { code-point 011010 { pfc; } } cable-length 20; }
            output { ieee-802.1 { code-point 011 { flow-control-queue 3; } } }
        }
    }
    interfaces { et-* { congestion-notification-profile P; scheduler-map SM; unit * { classifiers { dscp CL; } } } }
    scheduler-maps { SM { forwarding-class NL scheduler S; forwarding-class CNP scheduler C; } }
    schedulers {
        S { drop-profile-map loss-priority any protocol any drop-profile DP; explicit-congestion-notification; transmit-rate percent 50; }
        C { priority strict-high; }
    }
}
`

function factsOf(text: string, command = ''): Facts {
  const facts = new Facts('f')
  const [part] = partsOf('f', text, command)
  junos.read(part!, facts)
  return facts
}

/** Values without their lines, by field, "PORT FIELD" for ports. */
function valuesOf(facts: Facts): Record<string, unknown> {
  const known = (values: Facts['device'], prefix: string): [string, unknown][] =>
    [...values].map(([name, value]) => [prefix + name, 'value' in value ? [value.state, value.value] : value.state])
  return Object.fromEntries([
    ...known(facts.device, ''),
    ...[...facts.ports].flatMap(([port, { values }]) => known(values, `${port} `)),
  ])
}

const refsOf = ({ references }: Facts): string[] =>
  references.map(({ problem, what, name }) => `${problem} ${what} ${name}`).sort()

describe('a whole configuration', () => {
  const facts = factsOf(WHOLE)
  const values = valuesOf(facts)

  test('is complete and names its device and its ports, not those that are split', () => {
    expect([facts.isComplete, facts.hostname, facts.truncated, facts.remainder]).toEqual([true, 'leaf', null, []])
    expect([...facts.ports.keys()]).toEqual(['et-0/0/1', 'et-0/0/2:0'])
    expect(readFile('f', WHOLE).parts[0]?.dialect.name).toBe('junos')
  })

  test.each([
    ['et-0/0/1 mtuBytes', ['set', 9202]],
    ['et-0/0/1 isUp', ['default', true]],
    ['et-0/0/2:0 rateBps', ['set', 400e9]],
    ['et-0/0/1 vlanMode', ['default', 'untagged']],
    ['et-0/0/1 trust', ['set', 'dscp']],
    ['et-0/0/1 dscpToClass.26', ['set', 3]],
    ['et-0/0/1 dscpToClass.27', ['set', 3]],
    ['et-0/0/1 dscpToClass.48', ['set', 6]],
    ['et-0/0/1 dscpToClass.24', ['default', 0]],
    ['et-0/0/1 pfcClasses', ['set', [3]]],
    ['et-0/0/1 cableM', ['set', 20]],
    ['et-0/0/1 classes.3.hasHeadroom', ['set', true]],
    ['et-0/0/1 classes.3.isWatched', ['set', true]],
    ['et-0/0/1 classes.3.kminRatio', ['set', 0.2]],
    ['et-0/0/1 classes.3.kmaxRatio', ['set', 0.6]],
    ['et-0/0/1 classes.3.pmaxRatio', ['set', 0.8]],
    ['et-0/0/1 classes.3.schedule', ['set', 50]],
    ['et-0/0/1 classes.6.schedule', ['set', 'strict']],
    ['et-0/0/1 classes.6.marks', ['default', false]],
    ['watchdog.detectionPs', ['set', 150e9]],
    ['watchdog.restorationPs', ['default', 200e9]],
  ])('%s', (field, value) => {
    expect(values[field]).toEqual(value)
  })

  test('a pause of the priority stops another queue than its class is in, each with its line', () => {
    const { values: own } = facts.ports.get('et-0/0/1')!
    expect(values['et-0/0/1 classes.3.queue']).toEqual(['set', 4])
    expect(values['et-0/0/1 classes.3.pausedQueue']).toEqual(['set', 3])
    expect(own.get('classes.3.pausedQueue')).toMatchObject({ origin: { line: 24 } })
  })

  test('carriage returns and tabs change nothing', () => {
    expect(valuesOf(factsOf(WHOLE.replaceAll('\n', '\r\n').replaceAll('    ', '\t')))).toEqual(values)
  })

  test('a profile that is attached nowhere is noted, and the ports have no PFC', () => {
    const loose = factsOf(WHOLE.replace('congestion-notification-profile P;', ''))
    expect(refsOf(loose)).toEqual(['unapplied congestion-notification-profile P'])
    expect(valuesOf(loose)['et-0/0/1 pfcClasses']).toEqual(['default', []])
  })

  test('names that lead nowhere are noted once', () => {
    const torn = WHOLE.replace('dscp CL;', 'dscp CX;').replace('drop-profile DP', 'drop-profile DX')
    expect(refsOf(factsOf(torn))).toEqual([
      'unapplied dscp classifier CL',
      'undefined drop-profile DX',
      'undefined dscp classifier CX',
    ])
  })

  test('a file that ends early is not complete and has no defaults', () => {
    const cut = factsOf(WHOLE.slice(0, WHOLE.indexOf('scheduler-maps')))
    expect(cut.isComplete).toBe(false)
    expect(cut.truncated).not.toBeNull()
    expect(Object.values(valuesOf(cut)).filter((value) => Array.isArray(value) && value[0] === 'default')).toEqual([])
  })
})

describe('set lines', () => {
  const HEAD = 'set system host-name leaf\nset interfaces et-0/0/1 mtu 9216\n'
  const read = (text: string): Record<string, unknown> => valuesOf(factsOf(HEAD + text))

  test('the later value holds, and what is switched off is absent', () => {
    expect(read('set interfaces et-0/0/1 mtu 1514')['et-0/0/1 mtuBytes']).toEqual(['set', 1500])
    expect(read('deactivate interfaces et-0/0/1 mtu')['et-0/0/1 mtuBytes']).toEqual(['default', 1500])
    expect(read('deactivate interfaces et-0/0/1')).not.toHaveProperty('et-0/0/1 mtuBytes')
  })

  test('a part of a configuration has no defaults, and a class is lossless only where it says so', () => {
    const part = factsOf(`set class-of-service forwarding-classes class NL queue-num 4 no-loss pfc-priority 3
set class-of-service forwarding-classes class X queue-num 5
set class-of-service interfaces et-0/0/1 unit 0 classifiers dscp CL
set class-of-service classifiers dscp CL forwarding-class NL loss-priority low code-points 011010
set class-of-service classifiers dscp CL forwarding-class X loss-priority low code-points 001010`)
    const values = valuesOf(part)
    expect(part.isComplete).toBe(false)
    expect(values['et-0/0/1 dscpToClass.26']).toEqual(['set', 3])
    expect(values).not.toHaveProperty('et-0/0/1 dscpToClass.10')
    expect(values).not.toHaveProperty('et-0/0/1 pfcClasses')
  })

  test('a lossy queue with the number of a lossless priority does not become lossless', () => {
    const values = read(`set class-of-service forwarding-classes class CNP queue-num 3
set class-of-service forwarding-classes class NL queue-num 4 no-loss pfc-priority 3
set class-of-service classifiers dscp CL forwarding-class NL loss-priority low code-points 011010
set class-of-service classifiers dscp CL forwarding-class CNP loss-priority low code-points 110000
set class-of-service interfaces all unit * classifiers dscp CL`)
    expect(values['et-0/0/1 dscpToClass.26']).toEqual(['set', 3])
    expect(values['et-0/0/1 dscpToClass.48']).toEqual(['set', 4])
    expect(values['et-0/0/1 classes.4.queue']).toEqual(['set', 3])
  })

  test('without an output part queues 3 and 4 obey; another lossless priority stops none', () => {
    const profile = `set class-of-service forwarding-classes class NL queue-num 5 no-loss pfc-priority 5
set class-of-service congestion-notification-profile P input ieee-802.1 code-point 011 pfc
set class-of-service congestion-notification-profile P input ieee-802.1 code-point 101 pfc
set class-of-service interfaces et-0/0/1 congestion-notification-profile P`
    const values = read(profile)
    expect(values['et-0/0/1 classes.3.pausedQueue']).toEqual(['default', 3])
    expect(values['et-0/0/1 classes.5.pausedQueue']).toEqual(['default', -1])
    expect(values['et-0/0/1 pfcClasses']).toEqual(['set', [3, 5]])
    expect(values['et-0/0/1 cableM']).toEqual(['default', 100])
    expect(values['et-0/0/1 classes.3.isWatched']).toEqual(['default', false])
  })

  test('groups give what is not written; members get the settings of their aggregate and of ranges', () => {
    const values = read(`set groups G interfaces <et-*> mtu 4000
set groups G interfaces <et-*> speed 100g
set groups H interfaces et-0/0/7 mtu 5014
set apply-groups [ G H ]
set interfaces et-0/0/2 ether-options 802.3ad ae0
set interfaces ae0 mtu 9014
set interfaces interface-range R member-range et-0/0/4 to et-0/0/5
set interfaces interface-range R mtu 2014`)
    expect(values['et-0/0/1 mtuBytes']).toEqual(['set', 9202])
    expect(values['et-0/0/1 rateBps']).toEqual(['set', 100e9])
    expect(values['et-0/0/7 mtuBytes']).toEqual(['set', 5000])
    expect(values['et-0/0/5 mtuBytes']).toEqual(['set', 2000])
    const plain = read('set interfaces et-0/0/2 ether-options 802.3ad ae0\nset interfaces ae0 mtu 9014')
    expect(plain['et-0/0/2 mtuBytes']).toEqual(['set', 9000])
  })

  test('a closer wildcard wins over a wider one, and the port itself over both', () => {
    const values = read(`set interfaces et-0/0/2 mtu 9216
set class-of-service interfaces all unit * classifiers ieee-802.1 default
set class-of-service interfaces et-* congestion-notification-profile P
set class-of-service interfaces et-0/0/2 congestion-notification-profile Q
set class-of-service congestion-notification-profile P input ieee-802.1 code-point 011 pfc
set class-of-service congestion-notification-profile Q input ieee-802.1 code-point 100 pfc`)
    expect(values['et-0/0/1 pfcClasses']).toEqual(['set', [3]])
    expect(values['et-0/0/2 pfcClasses']).toEqual(['set', [4]])
    expect(values['et-0/0/2 trust']).toEqual(['set', 'pcp'])
  })

  test('the watchdogs of all profiles are understood, and the first one that has any stands for all', () => {
    const facts = factsOf(
      HEAD +
        ['P', 'Q']
          .map(
            (
              name,
              i,
            ) => `set class-of-service congestion-notification-profile ${name} pfc-watchdog poll-interval ${i + 1}00
set class-of-service interfaces et-0/0/${i + 1} congestion-notification-profile ${name}
`,
          )
          .join(''),
    )
    expect(facts.remainder).toEqual([])
    expect(valuesOf(facts)['watchdog.pollPs']).toEqual(['set', 100e9])
  })

  test('a port that is switched off is down', () => {
    expect(read('set interfaces et-0/0/1 disable')['et-0/0/1 isUp']).toEqual(['set', false])
  })

  test('statements that may matter and are not understood are kept', () => {
    const facts = factsOf(`${HEAD}set class-of-service dedicated-buffer ingress percent 15`)
    expect(facts.remainder.map(({ number }) => number)).toEqual([3])
  })
})

test('what a command shows of a part stands below that part', () => {
  const facts = factsOf(
    'et-0/0/1 { congestion-notification-profile P; }',
    'show configuration class-of-service interfaces',
  )
  expect(valuesOf(facts)).toMatchObject({ 'et-0/0/1 pfcClasses': 'unknown' })
})

test.each([
  ['et-*', 'et-0/0/1', true],
  ['et-0/0/[0-3]', 'et-0/0/4', false],
  ['et-0/0/[0-3]:*', 'et-0/0/2:0', true],
  ['*:?', 'et-0/0/2:0', true],
  ['xe-*', 'et-0/0/1', false],
])('%s and %s', (wildcard, name, isMatch) => {
  expect(matches(wildcard, name)).toBe(isMatch)
})

/** A statement below others, in one of both forms. */
interface Node {
  readonly words: string
  readonly isOff: boolean
  readonly children: readonly Node[]
}

const leaf = (words: fc.Arbitrary<string>): fc.Arbitrary<Node> =>
  fc.record({ words, isOff: fc.boolean(), children: fc.constant([]) })
const block = (words: fc.Arbitrary<string>, child: fc.Arbitrary<Node>): fc.Arbitrary<Node> =>
  fc.record({
    words,
    isOff: fc.nat(4).map((n) => n === 0),
    children: fc.uniqueArray(child, { minLength: 1, maxLength: 3, selector: (node) => node.words.split(' ')[0] }),
  })
const port = block(
  fc.constantFrom('et-0/0/1', 'et-0/0/2', 'et-0/0/3:0'),
  leaf(fc.constantFrom('mtu 9216', 'mtu 1514', 'speed 100g', 'disable')),
)
const attached = block(
  fc.constantFrom('et-*', 'et-0/0/1', 'all'),
  leaf(fc.constantFrom('congestion-notification-profile P', 'congestion-notification-profile Q', 'scheduler-map M')),
)
const profile = block(
  fc.constantFrom('P', 'Q'),
  fc.oneof(
    leaf(fc.constant('pfc-watchdog')),
    block(
      fc.constant('input'),
      block(
        fc.constant('ieee-802.1'),
        block(fc.constantFrom('code-point 011', 'code-point 100'), leaf(fc.constant('pfc'))),
      ),
    ),
    block(
      fc.constant('output'),
      block(
        fc.constant('ieee-802.1'),
        block(
          fc.constant('code-point 011'),
          leaf(fc.constantFrom('flow-control-queue 3', 'flow-control-queue [ 3 4 ]')),
        ),
      ),
    ),
  ),
)
const classes = block(
  fc.constant('forwarding-classes'),
  leaf(fc.constantFrom('class NL queue-num 4 no-loss pfc-priority 3', 'class NL queue-num 3')),
)
const tree = fc.tuple(
  fc.constant({ words: 'system', isOff: false, children: [{ words: 'host-name x', isOff: false, children: [] }] }),
  block(fc.constant('interfaces'), port),
  block(
    fc.constant('class-of-service'),
    fc.oneof(
      block(fc.constant('interfaces'), attached),
      block(fc.constant('congestion-notification-profile'), profile),
      classes,
    ),
  ),
)

const inBraces = ({ words, isOff, children }: Node): string =>
  `${isOff ? 'inactive: ' : ''}${words}${children.length === 0 ? ';' : ` {\n${children.map(inBraces).join('\n')}\n}`}`

function inLines({ words, isOff, children }: Node, before = ''): string[] {
  const own = `${before} ${words}`
  const list = /^(.*) \[ (.*) \]$/.exec(own)
  const paths = list === null ? [own] : list[2]!.split(' ').map((item) => `${list[1]} ${item}`)
  // A statement of one line is switched off by its first words.
  const first = words.split(' ').slice(0, words.startsWith('class ') ? 2 : 1)
  const off = children.length > 0 ? own : `${before} ${first.join(' ')}`
  return [
    ...(children.length === 0 ? paths.map((path) => `set${path}`) : children.flatMap((child) => inLines(child, own))),
    ...(isOff ? [`deactivate${off}`] : []),
  ]
}

test('braces and set lines say the same', () => {
  fc.assert(
    fc.property(tree, (nodes) => {
      const braces = factsOf(nodes.map(inBraces).join('\n'))
      const lines = factsOf(nodes.flatMap((node) => inLines(node)).join('\n'))
      expect(valuesOf(lines)).toEqual(valuesOf(braces))
      expect(refsOf(lines)).toEqual(refsOf(braces))
      expect([...lines.ports.keys()].sort()).toEqual([...braces.ports.keys()].sort())
    }),
    { numRuns: 400 },
  )
})

describe('damaged texts', () => {
  test('never throw', () => {
    const pieces = WHOLE.split(/(?<=\n)/)
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(...pieces),
            fc.string(),
            fc.constantFrom('{', '}', '[', ']', '"', '/*', ';', 'set ', 'deactivate '),
          ),
        ),
        fc.nat(WHOLE.length),
        (parts, cut) => {
          expect(factsOf(` ${WHOLE.slice(0, cut)}${parts.join('')}x`).kind).toBe('switch')
          expect(factsOf(` ${parts.join('')}x`).kind).toBe('switch')
        },
      ),
    )
  })

  test.each([
    ['blocks in blocks', 'a {'.repeat(200_000)],
    ['open comments', 'a /* b;\n'.repeat(50_000)],
    ['open texts', 'set a "b\n'.repeat(50_000)],
    ['empty lines', `x${'\n'.repeat(500_000)}y`],
    ['ranges', 'set interfaces interface-range R member-range et-0/0/0 to et-0/0/999999999\n'.repeat(5000)],
    [
      'groups',
      Array.from(
        { length: 5000 },
        (_, i) =>
          `set groups G interfaces <et-${i}*> mtu ${i}\nset interfaces et-0/0/${i} mtu 1\nset apply-groups G${i}`,
      ).join('\n'),
    ],
  ])('%s are read in time', (_, text) => {
    const start = performance.now()
    readFile('f', text)
    factsOf(text)
    expect(performance.now() - start).toBeLessThan(20_000)
  })
})
