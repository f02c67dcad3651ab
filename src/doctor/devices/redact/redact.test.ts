/** Redacted fabrics: no name is left, and rules say the same of them. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { BUFFER_FAULTS } from '../../diagnosis/rules/planted/buffers.test-data.ts'
import { type Files, SONIC } from '../../diagnosis/rules/planted/clean.test-data.ts'
import { HOST_FAULTS } from '../../diagnosis/rules/planted/hosts.test-data.ts'
import { MIXED } from '../../diagnosis/rules/planted/mixed.test-data.ts'
import { diagnosisOfFabric, edgesIn, edited, fabricFrom } from '../../diagnosis/rules/planted/planted.test-data.ts'
import { SWITCH_FAULTS } from '../../diagnosis/rules/planted/switches.test-data.ts'
import type { Edge } from '../../../core/device-model/index.ts'
import { devicesNamedIn, Redactor } from './redactor.ts'
import { isKnownWord } from './vocabulary.ts'

const FABRICS: readonly (readonly [string, Files])[] = [
  ['SONiC', SONIC],
  ['other languages', MIXED],
  ...[...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS].map(
    ({ rule, files, edits }, i) => [`${rule} (${i})`, edited(files, edits)] as const,
  ),
]

interface Redacted {
  readonly files: Files
  readonly edges: readonly Edge[]
  readonly redactor: Redactor
}

function redacted(files: Files): Redacted {
  const edges = edgesIn(files)
  const texts = Object.entries(files).filter(([file]) => file.includes('/'))
  const devices = [
    ...texts.map(([file]) => file.split('/')[0]!),
    ...edges.flatMap(({ deviceA, deviceB }) => [deviceA, deviceB]),
  ]
  const named = texts.flatMap(([file, text]) => devicesNamedIn(file, text, ''))
  const redactor = new Redactor(devices, named)
  return {
    files: Object.fromEntries(
      texts.flatMap(([file, text]) => {
        const made = redactor.text(file, text, '')
        const [device = '', ...rest] = file.split('/')
        return made === undefined ? [] : [[`${redactor.device(device)}/${redactor.path(rest.join('/'))}`, made]]
      }),
    ),
    edges: edges.map(({ deviceA, portA, deviceB, portB, ...rest }) => ({
      deviceA: redactor.device(deviceA),
      portA: redactor.words(portA),
      deviceB: redactor.device(deviceB),
      portB: redactor.words(portB),
      ...rest,
    })),
    redactor,
  }
}

/** All that rules say, with the names of the copy, each with its file and line. */
function said(files: Files, edges: readonly Edge[], named: Pick<Redactor, 'device' | 'words' | 'path'>): string[] {
  const { findings, missing, held } = diagnosisOfFabric(fabricFrom(files, {}, edges))
  const spotOf = (file: string): string => {
    const [device = '', ...rest] = file.split('/')
    if (rest.length === 0) return file
    return `${named.device(device)}/${named.path(rest.join('/'))}`
  }
  return [
    ...findings.flatMap((finding) =>
      [finding, ...finding.also].map(({ subject: { device = '', interface: port = '', file = '', line = 0 } }) =>
        [finding.severity, finding.id, named.device(device), named.words(port), file && spotOf(file), line].join(' '),
      ),
    ),
    ...missing.map(({ form, device, rules }) => `${form} ${named.device(device)} ${rules.join()}`),
    ...Object.entries(held).map(([rule, count]) => `${rule} ${count}`),
  ].sort()
}

const SAME = {
  device: (name: string): string => name,
  words: (text: string): string => text,
  path: (text: string): string => text,
}

test.each(FABRICS)('%s says the same when it is redacted', (_name, files) => {
  const copy = redacted(files)
  expect(said(copy.files, copy.edges, SAME)).toEqual(said(files, edgesIn(files), copy.redactor))
})

/** A device with one file, redacted. */
function redactedText(text: string, file = 'leaf1/running-config.cfg', named: readonly string[] = []): string {
  return new Redactor(['leaf1', 'gpu1', 'gpu2'], named).text(file, text, '') ?? ''
}

const EOS = `! Command: show running-config
! device: leaf1 (DCS-7060X6, EOS-4.33.1F)
! rack 7 of Acme, call 5550199
hostname leaf1
username alice privilege 15 secret sha512 $6$rounds$abcdef
snmp-server community 4711 ro
snmp-server contact Bob 5550123
banner motd ^C
Property of Acme, call 5550199
^C
interface Ethernet1
   description to gpu1 at 5550133
   ip address 203.0.113.7/31
   ipv6 address 2001:db8:1::7/64
router bgp 65123
   neighbor 203.0.113.6 remote-as 65124
   neighbor 203.0.113.6 password 7 4711
end
`

describe('a redacted file', () => {
  test('has none of its secrets, also where they are numbers', () => {
    const made = redactedText(EOS)
    for (const secret of [
      'Acme',
      'alice',
      'Bob',
      'leaf1',
      'gpu1',
      '555',
      '4711',
      '6512',
      '203.0.113',
      '2001:db8',
      'abcdef',
    ])
      expect(made).not.toContain(secret)
    expect(made.split('\n')).toHaveLength(EOS.split('\n').length)
    expect(made).toContain('interface Ethernet1')
  })

  test('has none of the secrets of JSON', () => {
    const tables = {
      DEVICE_METADATA: { localhost: { hostname: 'leaf1', bgp_asn: '65123', hwsku: 'ACS-MSN4700' } },
      TACPLUS_SERVER: { '203.0.113.9': { passkey: '4711', priority: '1' } },
      PORT: { Ethernet0: { description: 'to Acme 5550199', speed: '400000', mtu: '9100', lanes: '0' } },
    }
    const made = redactedText(JSON.stringify(tables, null, 2), 'leaf1/config_db.json')
    expect((JSON.parse(made) as typeof tables).PORT.Ethernet0.speed).toBe('400000')
    expect((JSON.parse(made) as typeof tables).DEVICE_METADATA.localhost.hwsku).toBe('ACS-MSN4700')
    for (const secret of ['Acme', '555', '4711', '65123', '203.0.113', 'leaf1']) expect(made).not.toContain(secret)
  })

  test('keeps addresses that are one, in whatever form', () => {
    const gids = `DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV
---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---
mlx5_1\t1\t1\tfe80:0000:0000:0000:9a03:9bff:fe9e:1234\t\t\tv2\teth1
mlx5_1\t1\t2\t0000:0000:0000:0000:0000:ffff:cb00:7107\t203.0.113.7  \tv1\teth1
n_gids_found=2
`
    const redactor = new Redactor(['gpu1'])
    const made = redactor.text('gpu1/show_gids.txt', gids, '')!
    const link = redactor.text(
      'gpu1/ip.txt',
      '3: eth1: <UP,LOWER_UP> mtu 9000 qdisc mq state UP\n    link/ether 98:03:9b:9e:12:34 brd ff:ff:ff:ff:ff:ff\n',
      '',
    )!
    const [, a = '', b = '', c = '', d = ''] = / (\d+)\.(\d+)\.(\d+)\.(\d+) /.exec(made.replaceAll('\t', ' ')) ?? []
    const hex = [a, b, c, d].map((byte) => Number(byte).toString(16).padStart(2, '0')).join('')
    expect(made).toContain(`ffff:${hex.slice(0, 4)}:${hex.slice(4)}`)
    const [, mac = ''] = /ether (\S+)/.exec(link) ?? []
    const octets = mac.split(':')
    expect(made).toContain(`ff:fe${octets[3]}:${octets[4]}${octets[5]}`)
    expect(link).toContain('ff:ff:ff:ff:ff:ff')
    expect(mac).not.toBe('98:03:9b:9e:12:34')
  })

  test('that has no known form is none', () => {
    expect(new Redactor([]).text('leaf1/notes.txt', 'ask Bob\n', '')).toBeUndefined()
  })

  test('says what stands for what, and one name is one', () => {
    const redactor = new Redactor(['leaf1', 'gpu1'], ['leaf1.acme.example', 'core-7'])
    expect(redactor.words('leaf1 LEAF1 leaf1.acme.example leaf1-backup gpu1 core-7')).toBe(
      'box3 box3 box3 box3-backup box2 box1',
    )
    expect(redactor.path('gpu1/leaf1-10.1.2.3.txt')).toMatch(/^box2\/box3-10\.0\.1\.3\.txt$/)
    expect(redactor.mapping).toContainEqual({ kind: 'device', from: 'leaf1', to: 'box3' })
  })
})

/** Words that nobody has written into a form. */
const name = fc.stringMatching(/^[a-z]{2}[xzq][xzqj][a-z]{2,8}$/).filter((word) => !isKnownWord(word))

test('a name that stands anywhere in a file is not in the copy', () => {
  const sources = [...Object.entries(SONIC), ...Object.entries(MIXED)].filter(([file]) => file.includes('/'))
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      name,
      fc.nat(),
      fc.constantFrom(' ', '-', '.', '/', '"', '_'),
      ([file, text], word, at, sign) => {
        const begin = at % text.length
        const made = new Redactor([file.split('/')[0]!]).text(
          file,
          `${text.slice(0, begin)}${sign}${word}${sign}${text.slice(begin)}`,
          '',
        )
        expect(made ?? '').not.toContain(word)
      },
    ),
  )
})
