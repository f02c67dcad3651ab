/** nicctl: DSCPs in two forms, PFC in two forms, one NIC or several, and what a type of pause means. */
import { describe, expect, test } from 'vitest'
import { leftOver, port, said } from '../read.test-data.ts'

const qos = (bitmap = '0x8', noDrop = '3'): string => `
  Classification type         : DSCP

  DSCP-to-priority :
    DSCP bitmap               : 0xfffffffffbffffff ==> priority : 0
    DSCP bitmap               : 0x0000000004000000 ==> priority : 3
    DSCP                      : 0-25, 27-63 ==> priority : 0
    DSCP                      : 26 ==> priority : 3

  PFC :
    PFC priority bitmap       : ${bitmap}
    PFC no-drop priorities    : ${noDrop}

  Scheduling :
    --------------------------------------------
    Priority  Scheduling  Bandwidth Rate-limit
              Type        (in %age) (in Gbps)
    --------------------------------------------
    0         DWRR        20        N/A
    3         DWRR        80        N/A
    6         strict      N/A       10
`
const block = (number: number, text: string): string =>
  `NIC  : 0000-${number}  (0000:0${number}:00.0)\n\nPort : 0000-${number}-1\n${text}`

describe('show qos', () => {
  test('gives trust, map, PFC and schedules', () => {
    const values = port(block(6, qos()))
    expect(values).toMatchObject({
      trust: 'dscp',
      'dscpToClass.0': 0,
      'dscpToClass.26': 3,
      'dscpToClass.63': 0,
      pfcClasses: [3],
      'classes.3.schedule': 80,
      'classes.6.schedule': 'strict',
    })
  })

  test('reads DSCPs from bitmaps alone', () => {
    const bitmaps = qos().replaceAll(/^ +DSCP +:.*$/gm, '')
    expect(port(block(6, bitmaps))).toMatchObject({ 'dscpToClass.0': 0, 'dscpToClass.26': 3, 'dscpToClass.63': 0 })
  })

  test('no priority has PFC where the list is empty', () => {
    expect(port(block(6, qos('0x0', '')))['pfcClasses']).toEqual([])
    expect(port(block(6, qos('0x9', '0,3')))['pfcClasses']).toEqual([0, 3])
  })

  test('PFC is unknown where bitmap and list contradict each other', () => {
    const odd = said(block(6, qos('0x8', '')))
    expect(odd.ports['']?.['pfcClasses']).toBe('unknown')
    expect(leftOver(odd)).toHaveLength(1)
  })

  test('several NICs go by their PCI addresses', () => {
    const { ports } = said(block(6, qos()) + block(7, qos('0x0', '')))
    expect(ports['pci:0000:06:00.0']?.['pfcClasses']).toEqual([3])
    expect(ports['pci:0000:07:00.0']?.['pfcClasses']).toEqual([])
    expect(Object.keys(ports)).toHaveLength(2)
  })

  test('is cut before the rows of its schedule', () => {
    const text = block(6, qos())
    expect(said(text).facts.truncated).toBeNull()
    expect(said(text.slice(0, text.indexOf('Scheduling'))).facts.truncated).not.toBeNull()
  })
})

describe('show dcqcn', () => {
  const dcqcn = (...states: string[]): string =>
    `NIC : 0000-6 (0000:06:00.0)\nROCE device                                : ionic_0\n${states
      .map((state, i) => `  DCQCN profile id                         : ${i + 1}\n  Status : ${state}\n`)
      .join('')}  DSCP value used for CNP                  : 46\n`

  test('answers marks on all priorities, or on none', () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7]
    expect(port(dcqcn('Enabled'), 'rdma:ionic_0')).toEqual({
      'nic.npClasses': all,
      'nic.rpClasses': all,
      'nic.cnpDscp': 46,
    })
    expect(port(dcqcn('Disabled'), 'rdma:ionic_0')['nic.npClasses']).toEqual([])
  })

  test('cannot tell which of two unequal profiles is used', () => {
    expect(port(dcqcn('Enabled', 'Disabled', 'Disabled'), 'rdma:ionic_0')['nic.rpClasses']).toBe('unknown')
    expect(port(dcqcn('Enabled', 'Enabled'), 'rdma:ionic_0')['nic.rpClasses']).toHaveLength(8)
  })
})

describe('show port', () => {
  const showPort = (pause: string): string =>
    block(
      6,
      `  Spec:
    speed                                    : 400G
    FEC type                                 : RS
    Pause type                               : ${pause}
    MTU                                      : 9216
    TX pause                                 : enabled
    RX pause                                 : enabled
  Status:
    Operational status                       : DOWN
    speed                                    : 100G
${'-'.repeat(80)}
`,
    )

  test('the status holds over the setting', () => {
    expect(port(showPort('PFC'))).toMatchObject({ rateBps: 100e9, isUp: false, fec: 'rs' })
    expect(port(showPort('PFC'))).not.toHaveProperty('mtuBytes')
  })

  test.each([
    ['PFC', 'on', false],
    ['LINK', 'off', true],
    ['NONE', 'off', false],
  ])('pause type %s', (pause, pfcMode, isGlobal) => {
    const values = port(showPort(pause))
    expect(values).toMatchObject({ pfcMode, takesGlobalPause: isGlobal, sendsGlobalPause: isGlobal })
    expect(values['pfcClasses']).toBeUndefined()
  })
})
