/**
 * Hosts: commands of a shell, carried out on what the host's tools print.
 * Sources: ethtool(8); ip-link(8); cma_roce_tos (rdma-core); Linux, Documentation/ABI, /sys/class/infiniband; mlnx_qos;
 * dcb(8), dcb-app(8), dcb-pfc(8), dcb-buffer(8), dcb-apptrust(8); lldptool(8); AMD nicctl.
 */
import {
  appText,
  checkSum,
  type DcbOutput,
  dcbText,
  mlnxDscp,
  mlnxRow,
  mlnxSizes,
  mlnxTrust,
  nicctlDscp,
  nicctlPfc,
  pfcText,
  replaced,
} from './host-outputs.test-data.ts'
import { Refused, type Texts } from './texts.test-data.ts'

/** The host as one command sees it. */
class Host {
  readonly texts: Texts
  readonly line: string

  constructor(texts: Texts, line: string) {
    this.texts = texts
    this.line = line
  }

  /** File of a tool: of this port or device, where the host has several. */
  file(stem: string, port: string): string | undefined {
    return [...this.texts.keys()].find((file) => {
      const [name = ''] = file.split('.')
      return name === `${stem}-${port}` || (name === stem && this.#isOf(file, port))
    })
  }

  /** A file that does not say of which port it is, is of the only one. */
  #isOf(file: string, port: string): boolean {
    const [, said] = /^# .* (?:-i|dev|-d) (\S+)/.exec(this.texts.get(file)!) ?? []
    return said === undefined || said === port
  }

  change(stem: string, port: string, by: (text: string) => string): void {
    const file = this.file(stem, port)
    if (file === undefined) throw new Refused(this.line, `no ${stem} of ${port}`)
    this.texts.set(file, by(this.texts.get(file)!))
  }

  has(stem: string, port: string): boolean {
    return this.file(stem, port) !== undefined
  }

  /** A line of the listing of sysfs. */
  sysfs(path: string, value: string): void {
    const pattern = new RegExp(`^(${path.replaceAll('.', String.raw`\.`)}:).*$`, 'm')
    this.change('sysfs', '', (text) => replaced(text, pattern, ([, start]) => `${start}${value}`, this.line))
  }
}

type Command = readonly [form: RegExp, run: (host: Host, words: readonly string[]) => void]

const PORT = String.raw`([\w.-]+)`
const EIGHT = String.raw`((?:\d+,){7}\d+)`
const form = (source: string): RegExp =>
  new RegExp(
    `^${source
      .replaceAll('<port>', PORT)
      .replaceAll('<eight>', EIGHT)
      .replaceAll('<n>', String.raw`(\d+)`)}$`,
  )

/** Bytes that RoCE adds to its payload at most, beside the Ethernet header. Source: Linux, include/rdma/ib_addr.h. */
const ROCE_BYTES = 100
const IB_MTUS = [4096, 2048, 1024, 512, 256]

/** The MTU of RoCE follows that of the link. */
function setMtu(host: Host, port: string, mtu: number): void {
  const { line } = host
  const pattern = new RegExp(`^(\\d+: ${port}: .* mtu )\\d+`, 'm')
  const file = [...host.texts.keys()].find((one) => pattern.test(host.texts.get(one)!))
  // Nobody has collected it.
  if (file === undefined) return
  host.texts.set(
    file,
    replaced(host.texts.get(file)!, pattern, ([, start]) => `${start}${mtu}`, line),
  )
  const [, rdma] =
    new RegExp(`^link (\\S+)/\\d+ .* netdev ${port} *$`, 'm').exec(host.texts.get('rdma-link.txt') ?? '') ?? []
  if (rdma === undefined || !host.texts.has('ibv_devinfo.txt')) return
  host.change('ibv_devinfo', '', (text) =>
    text.replace(
      new RegExp(`^(hca_id:\\s+${rdma}\\n[^]*?max_mtu:\\s+(\\d+) \\(\\d\\)\\n\\s+active_mtu:\\s+)\\d+ \\(\\d\\)`, 'm'),
      (_, start: string, most: string) => {
        const active = IB_MTUS.find((one) => one <= Math.min(Number(most), mtu - ROCE_BYTES)) ?? 256
        return `${start}${active} (${Math.log2(active) - 7})`
      },
    ),
  )
}

function setPauses(host: Host, port: string, words: string): void {
  for (const [, side = '', value = ''] of words.matchAll(/(rx|tx) (on|off)/g)) {
    const pattern = new RegExp(`^(Pause parameters for ${port}:\\n(?:.+\\n)*?${side.toUpperCase()}:\\s+)\\w+`, 'm')
    host.change('ethtool-a', port, (text) => replaced(text, pattern, ([, start]) => `${start}${value}`, host.line))
  }
}

const pairsOf = (words: string): (readonly [number, string])[] =>
  [...words.matchAll(/(\d+):(\w+)/g)].map(([, key, value]) => [Number(key), value!] as const)

/** Buffers of a port, where the kernel shows them. */
function setBuffers(host: Host, port: string, words: string): void {
  const [, priorities = ''] = /prio-buffer((?: \d:\d)+)/.exec(words) ?? []
  const [, sizes = ''] = /buffer-size((?: \d:\d+)+)/.exec(words) ?? []
  if (!host.has('dcb', port)) {
    if (priorities !== '')
      host.sysfs(
        `/sys/class/net/${port}/qos/prio2buffer`,
        pairsOf(priorities)
          .map(([, b]) => b)
          .join(),
      )
    if (sizes !== '')
      host.sysfs(
        `/sys/class/net/${port}/qos/buffer_size`,
        pairsOf(sizes)
          .map(([, b]) => b)
          .join(),
      )
    return
  }
  dcb(host, port, ({ buffer }) => {
    if (buffer === undefined) throw new Refused(host.line, 'no buffers')
    for (const [p, b] of pairsOf(priorities)) buffer.prio_buffer[p] = Number(b)
    for (const [b, bytes] of pairsOf(sizes)) buffer.buffer_size[b] = Number(bytes)
    checkSum(buffer.buffer_size, buffer.total_size, host.line)
  })
}

/** The tool prints buffers, or sysfs has them. */
function mlnxBuffers(host: Host, port: string, file: 'prio2buffer' | 'buffer_size', list: string): void {
  const path = `/sys/class/net/${port}/qos/${file}`
  if ((host.texts.get('sysfs.txt') ?? '').includes(`${path}:`)) return host.sysfs(path, list)
  return host.change('mlnx_qos', port, (text) =>
    file === 'prio2buffer'
      ? mlnxRow(text, 'buffer', list.split(','), host.line)
      : mlnxSizes(text, list.split(','), host.line),
  )
}

const dcb = (host: Host, port: string, change: (output: DcbOutput) => void): void =>
  host.change('dcb', port, (text) => dcbText(text, change))

/** The driver of mlx5 trusts DSCPs from the first entry on. Source: Linux, mlx5/core/en_dcbnl.c, mlx5e_dcbnl_ieee_setapp. */
function trustDscp(host: Host, port: string, dscp: number, priority: number): void {
  const folder = `/sys/class/net/${port}/qos`
  if (!(host.texts.get('sysfs.txt') ?? '').includes(`${folder}/trust:`)) return
  host.sysfs(`${folder}/trust`, 'dscp')
  host.change('sysfs', '', (text) =>
    text.replaceAll(
      new RegExp(`^(${folder}/dscp2prio:prio:(\\d) dscp:)(.*)$`, 'gm'),
      (_, start: string, p, list: string) => {
        const others = list.split(',').filter((d) => d !== '' && Number(d) !== dscp)
        return start + [...others, ...(Number(p) === priority ? [dscp] : [])].join()
      },
    ),
  )
}

/** The application table of the kernel, which dcb writes and niccli shows. */
function dcbApp(host: Host, port: string, dscp: number, priority: number): void {
  trustDscp(host, port, dscp, priority)
  if (host.has('niccli-qos', port))
    return host.change('niccli-qos', port, (text) => appText(text, { add: `${priority},5,${dscp}` }, host.line))
  return dcb(host, port, (output) => {
    const app = (output.app ??= {})
    app.dscp_prio = [...(app.dscp_prio ?? []).filter(([d]) => d !== dscp), [dscp, priority, ' ']]
  })
}

function dcbPfc(host: Host, port: string, words: string): void {
  const on = pairsOf(words).flatMap(([p, value]) => (value === 'on' ? [p] : []))
  if (host.has('niccli-qos', port))
    return host.change('niccli-qos', port, (text) => pfcText(text, on.map(String), host.line))
  return dcb(host, port, ({ pfc }) => {
    pfc!.prio_pfc = pfc!.prio_pfc.map((_, p) => on.includes(p))
  })
}

/** lldptool prints nothing of a table that has no entries. */
function lldpApp(host: Host, port: string, change: { add?: string; gone?: string }): void {
  if (!host.has('lldptool-app', port)) {
    const pfc = host.file('lldptool-pfc', port)!
    host.texts.set(pfc.replace('pfc', 'app'), `# lldptool -t -i ${port} -V APP\nIEEE 8021QAZ APP TLV\n`)
  }
  host.change('lldptool-app', port, (text) => appText(text, change, host.line))
  const [priority, , dscp] = (change.add ?? '').split(',')
  if (dscp !== undefined) trustDscp(host, port, Number(dscp), Number(priority))
}

const mlnx = (source: string, change: (text: string, words: readonly string[], line: string) => string): Command => [
  form(`mlnx_qos -i <port> ${source}`),
  (host, [port = '', ...words]) => host.change('mlnx_qos', port, (text) => change(text, words, host.line)),
]

const COMMANDS: readonly Command[] = [
  [form('ethtool -A <port>((?: [rt]x (?:on|off))+)'), (host, [port = '', words = '']) => setPauses(host, port, words)],
  [form('ip link set dev <port> mtu <n>'), (host, [port = '', mtu]) => setMtu(host, port, Number(mtu))],
  [
    form('cma_roce_tos -d <port> -t <n>'),
    (host, [device = '', tclass]) =>
      host.change('cma_roce_tos', portOf(host, device), (text) => replaced(text, /^\d+$/m, () => tclass!, host.line)),
  ],
  [
    form('echo <n> > (/sys/class/infiniband/[^ ]+/traffic_class)'),
    (host, [tclass, path = '']) => host.sysfs(path, `Global tclass=${tclass}`),
  ],
  [
    form('echo ([01]) > (/sys/class/net/[^ ]+/ecn/roce_[nr]p/enable/[0-7])'),
    (host, [value = '', path = '']) => host.sysfs(path, value),
  ],
  [
    form('export (NCCL_[A-Z_]+)=<n>'),
    (host, [name = '', value]) =>
      host.change('nccl', '', (text) => `${text.replace(new RegExp(`^${name}=.*\\n`, 'm'), '')}${name}=${value}\n`),
  ],
  mlnx('--trust (dscp|pcp)', (text, [trust = ''], line) => mlnxTrust(text, trust, line)),
  mlnx('--dscp2prio set,<n>,<n>', (text, [d, p], line) => mlnxDscp(text, Number(d), Number(p), line)),
  mlnx('--pfc <eight>', (text, [list = ''], line) => mlnxRow(text, 'enabled', list.split(','), line)),
  mlnx('--pfc <eight> --cable_len <n>', (text, [list = '', length], line) =>
    replaced(mlnxRow(text, 'enabled', list.split(','), line), /^Cable len: .*$/m, () => `Cable len: ${length}`, line),
  ),
  [
    form('mlnx_qos -i <port>(?: --prio2buffer <eight>)?(?: --buffer_size <eight>)?'),
    (host, [port = '', priorities, sizes]) => {
      if (priorities !== undefined) mlnxBuffers(host, port, 'prio2buffer', priorities)
      if (sizes !== undefined) mlnxBuffers(host, port, 'buffer_size', sizes)
    },
  ],
  mlnx('-d os', (text, _, line) => replaced(text, /^DCBX mode: .*$/m, () => 'DCBX mode: OS controlled', line)),
  [
    form('dcb app replace dev <port> dscp-prio <n>:<n>'),
    (host, [port = '', d, p]) => dcbApp(host, port, Number(d), Number(p)),
  ],
  [
    form('dcb apptrust set dev <port> order ((?:dscp|pcp|dscp pcp|pcp dscp))'),
    (host, [port = '', order = '']) =>
      dcb(host, port, (output) => {
        if (output.apptrust === undefined) throw new Refused(host.line, 'the driver has no apptrust')
        output.apptrust.order = order.split(' ')
      }),
  ],
  [
    form('dcb pfc set dev <port> prio-pfc all:off((?: [0-7]:on)*)'),
    (host, [port = '', words = '']) => dcbPfc(host, port, words),
  ],
  [
    form('dcb buffer set dev <port>((?: prio-buffer(?: \\d:\\d)+)?(?: buffer-size(?: \\d:\\d+)+)?)'),
    (host, [port = '', words = '']) => setBuffers(host, port, words),
  ],
  [
    form('lldptool -T -i <port> -V APP -d app=([0-7],5,\\d+)'),
    (host, [port = '', gone = '']) => lldpApp(host, port, { gone }),
  ],
  [
    form('lldptool -T -i <port> -V APP app=([0-7],5,\\d+)'),
    (host, [port = '', add = '']) => lldpApp(host, port, { add }),
  ],
  [
    form('lldptool -T -i <port> -V PFC enabled=(none|[0-7,]+)'),
    (host, [port = '', list = '']) =>
      host.change('lldptool-pfc', port, (text) => pfcText(text, list === 'none' ? [] : list.split(','), host.line)),
  ],
  [
    form('nicctl update qos --classification-type dscp'),
    (host) =>
      host.change('nicctl-qos', '', (text) => text.replaceAll(/^( {2}Classification type {2,}: )\w+$/gm, '$1DSCP')),
  ],
  [
    form('nicctl update qos dscp-to-priority --dscp <n> --priority <n>'),
    (host, [d, p]) => host.change('nicctl-qos', '', (text) => nicctlDscp(text, Number(d), Number(p))),
  ],
  [
    form('nicctl update qos pfc --priority <n> --no-drop (enable|disable)'),
    (host, [p, word]) => host.change('nicctl-qos', '', (text) => nicctlPfc(text, Number(p), word === 'enable')),
  ],
  [
    form('systemctl disable --now lldpad'),
    ({ texts }) => {
      for (const [file, text] of texts) texts.set(file, text.replaceAll(/^.*lldpad service is running.*\n/gim, ''))
    },
  ],
  // Pauses of priorities in place of those of the link: what is lossless is said apart.
  [form('nicctl update port --pause-type pfc'), (host) => host.change('nicctl-qos', '', (text) => text)],
]

/** The port of an RDMA device. */
function portOf(host: Host, device: string): string {
  const [, port] =
    new RegExp(`^link ${device}/\\d+ .* netdev (\\S+)`, 'm').exec(host.texts.get('rdma-link.txt') ?? '') ?? []
  if (port === undefined) throw new Refused(host.line, `no device ${device}`)
  return port
}

/** @throws Refused */
export function typeHost(texts: Texts, typed: string): void {
  for (const line of typed.split(' && ')) {
    const host = new Host(texts, line)
    const found = COMMANDS.flatMap(([pattern, run]) => {
      const match = pattern.exec(line)
      return match === null ? [] : [{ run, words: match.slice(1) }]
    })
    if (found.length !== 1) throw new Refused(line, 'unknown')
    found[0]!.run(host, found[0]!.words)
  }
}
