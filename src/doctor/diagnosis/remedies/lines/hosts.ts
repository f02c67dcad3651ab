/**
 * Hosts: commands of a shell. The tool of the NIC sets what it shows; the kernel's tools do the rest.
 * Sources: mlnx_qos and "RoCE configuration" (NVIDIA DOCA documentation); dcb(8), dcb-pfc(8), dcb-app(8),
 * dcb-apptrust(8), dcb-buffer(8);
 * lldptool-pfc(8), lldptool-app(8); AMD Pensando AI NIC, nicctl; ethtool(8); ip-link(8).
 */
import {
  flags,
  lines,
  NOTHING,
  PFC_FIELDS,
  plain,
  type Row,
  safe,
  type Said,
  type Speech,
  type Target,
} from './target.ts'

const rdmaDevice = (target: Target): string | undefined => {
  const name = target.at('nic.rdmaDevice') as string | undefined
  return name === undefined ? undefined : safe(name.split('/')[0]!)
}

/** A command that names the RDMA device. */
const ofDevice =
  (command: (device: string, target: Target) => string) =>
  (target: Target): Said | null => {
    const device = rdmaDevice(target)
    return device === undefined ? null : lines(command(device, target))
  }

const ofPort =
  (command: (port: string, target: Target, slot: number) => string) =>
  (target: Target, slot: number): Said =>
    lines(command(target.name, target, slot))

const onOff = (value: unknown): string => (value === true ? 'on' : 'off')

const JOB_VARIABLES = { ncclIbTc: 'NCCL_IB_TC', ncclIbFifoTc: 'NCCL_IB_FIFO_TC', ncclGinIbTc: 'NCCL_GIN_IB_TC' }

/** Settings that no tool of a NIC has: the kernel, the drivers, the environment of the job. */
const COMMON: readonly Row[] = [
  {
    fields: ['takesGlobalPause', 'sendsGlobalPause'],
    say: ofPort((port, target) => {
      const words = [
        ['rx', 'takesGlobalPause'],
        ['tx', 'sendsGlobalPause'],
      ].flatMap(([word, field]) => (target.at(field!) === undefined ? [] : [`${word} ${onOff(target.at(field!))}`]))
      return `ethtool -A ${port} ${words.join(' ')}`
    }),
  },
  { fields: ['mtuBytes'], say: ofPort((port, target) => `ip link set dev ${port} mtu ${target.text('mtuBytes')}`) },
  {
    fields: ['nic.sysfsTclass'],
    say: ofDevice(
      (device, target) => `echo ${target.text('nic.sysfsTclass')} > /sys/class/infiniband/${device}/tc/1/traffic_class`,
    ),
  },
  {
    fields: ['nic.cmaTclass'],
    say: ofDevice((device, target) => `cma_roce_tos -d ${device} -t ${target.text('nic.cmaTclass')}`),
  },
  ...Object.entries(JOB_VARIABLES).map(([field, variable]): Row => ({
    fields: [`device.job.${field}`],
    say: (target) => lines(`export ${variable}=${target.text(`job.${field}`)}`),
  })),
  ...(['np', 'rp'] as const).map((side): Row => ({
    fields: [`nic.${side}Classes`],
    say: (target) => {
      const now = (target.now(`nic.${side}Classes`) ?? []) as readonly number[]
      const wanted = target.list(`nic.${side}Classes`)
      const file = `/sys/class/net/${target.name}/ecn/roce_${side}/enable`
      return lines(
        ...wanted.filter((c) => !now.includes(c)).map((c) => `echo 1 > ${file}/${c}`),
        ...now.filter((c) => !wanted.includes(c)).map((c) => `echo 0 > ${file}/${c}`),
      )
    },
  })),
  { fields: ['nic.dcbx'], say: ofPort((port) => `mlnx_qos -i ${port} -d os`) },
  { fields: ['nic.isWilling'], say: ofPort((port) => `lldptool -T -i ${port} -V PFC willing=no`) },
  { fields: ['nic.hasLldpad'], say: () => lines('systemctl disable --now lldpad') },
]

const MLNX_QOS: readonly Row[] = [
  { fields: ['trust'], say: ofPort((port, target) => `mlnx_qos -i ${port} --trust ${target.text('trust')}`) },
  {
    fields: ['dscpToClass.*'],
    say: ofPort((port, target, d) => `mlnx_qos -i ${port} --dscp2prio set,${d},${target.text(`dscpToClass.${d}`)}`),
  },
  {
    fields: PFC_FIELDS,
    say: ofPort((port, target) => `mlnx_qos -i ${port} --pfc ${flags(target.list('pfcClasses'))}`),
  },
  {
    fields: ['nic.bufferOfClass', 'nic.bufferBytes'],
    say: ofPort((port, target) => {
      const words = [
        ['prio2buffer', 'nic.bufferOfClass'],
        ['buffer_size', 'nic.bufferBytes'],
      ].flatMap(([word, field]) =>
        target.wants(field!) === undefined ? [] : [`--${word} ${target.list(field!).join()}`],
      )
      return `mlnx_qos -i ${port} ${words.join(' ')}`
    }),
  },
  {
    fields: ['cableM'],
    say: ofPort(
      (port, target) =>
        `mlnx_qos -i ${port} --pfc ${flags(target.list('pfcClasses'))} --cable_len ${target.text('cableM')}`,
    ),
  },
]

/** A NIC reads DSCPs once it has an entry of one. */
const TRUSTS_BY_MAP: Row = {
  fields: ['trust'],
  say: (target) => (target.mapsDscps ? NOTHING : null),
}

const pairs = (classes: readonly number[], value: string): string => classes.map((c) => ` ${c}:${value}`).join('')

/** A driver with an order of what it trusts goes by that; priorities of tags stay behind DSCPs. */
const TRUSTS_IN_ORDER: Row = {
  fields: ['trust'],
  say: (target, slot) => {
    const now = target.raw('apptrust')
    if (now === '') return TRUSTS_BY_MAP.say(target, slot)
    return lines(`dcb apptrust set dev ${target.name} order dscp${now.includes('pcp') ? ' pcp' : ''}`)
  },
}

const DCB: readonly Row[] = [
  TRUSTS_IN_ORDER,
  {
    fields: ['dscpToClass.*'],
    say: ofPort((port, target, d) => `dcb app replace dev ${port} dscp-prio ${d}:${target.text(`dscpToClass.${d}`)}`),
  },
  {
    fields: PFC_FIELDS,
    say: ofPort((port, target) => `dcb pfc set dev ${port} prio-pfc all:off${pairs(target.list('pfcClasses'), 'on')}`),
  },
  {
    fields: ['nic.bufferOfClass', 'nic.bufferBytes'],
    say: ofPort((port, target) => {
      const words = [
        ['prio-buffer', 'nic.bufferOfClass'],
        ['buffer-size', 'nic.bufferBytes'],
      ].flatMap(([word, field]) =>
        target.wants(field!) === undefined
          ? []
          : [
              `${word} ${target
                .list(field!)
                .map((n, i) => `${i}:${n}`)
                .join(' ')}`,
            ],
      )
      return `dcb buffer set dev ${port} ${words.join(' ')}`
    }),
  },
]

const LLDPTOOL: readonly Row[] = [
  TRUSTS_BY_MAP,
  {
    fields: ['dscpToClass.*'],
    say: ofPort((port, target, d) => {
      const field = `dscpToClass.${d}`
      const [old, wanted] = [target.now(field) as number | undefined, target.text(field)]
      const gone =
        old === undefined || String(old) === wanted ? '' : `lldptool -T -i ${port} -V APP -d app=${old},5,${d} && `
      return `${gone}lldptool -T -i ${port} -V APP app=${wanted},5,${d}`
    }),
  },
  {
    fields: PFC_FIELDS,
    say: ofPort(
      (port, target) => `lldptool -T -i ${port} -V PFC enabled=${target.list('pfcClasses').join() || 'none'}`,
    ),
  },
]

/** nicctl sets all NICs of the host. */
const ofAll =
  (fields: (slot: number) => readonly string[], command: (target: Target, slot: number) => readonly string[]) =>
  (target: Target, slot: number): Said => ({
    ...lines(...command(target, slot)),
    also: target.alike(target.device.config.ports, fields(slot)),
  })

const NICCTL: readonly Row[] = [
  {
    fields: ['trust'],
    say: ofAll(
      () => ['trust'],
      () => ['nicctl update qos --classification-type dscp'],
    ),
  },
  {
    fields: ['dscpToClass.*'],
    say: ofAll(
      (d) => [`dscpToClass.${d}`],
      (target, d) => [`nicctl update qos dscp-to-priority --dscp ${d} --priority ${target.text(`dscpToClass.${d}`)}`],
    ),
  },
  {
    fields: PFC_FIELDS,
    say: ofAll(
      () => PFC_FIELDS,
      (target) => {
        const [now, wanted] = [(target.now('pfcClasses') ?? []) as readonly number[], target.list('pfcClasses')]
        const set = (classes: readonly number[], word: string): string[] =>
          classes.map((c) => `nicctl update qos pfc --priority ${c} --no-drop ${word}`)
        return [
          ...(now.length === 0 ? ['nicctl update port --pause-type pfc'] : []),
          ...set(
            wanted.filter((c) => !now.includes(c)),
            'enable',
          ),
          ...set(
            now.filter((c) => !wanted.includes(c)),
            'disable',
          ),
        ]
      },
    ),
  },
  ...DCB.filter(({ fields }) => fields.includes('nic.bufferBytes')),
]

const speech = (own: readonly Row[]): Speech => ({ rows: [...own, ...COMMON], print: plain })

export const HOSTS: Readonly<Record<string, Speech>> = {
  mlnx_qos: speech(MLNX_QOS),
  lldptool: speech([...LLDPTOOL, ...DCB.filter(({ fields }) => fields.includes('nic.bufferBytes'))]),
  nicctl: speech(NICCTL),
  niccli: speech(DCB),
  host: speech(DCB),
}
