/**
 * A fabric in a line, as people write it: "8x400G RoCE x 16 servers, MTU 4096, PCIe Gen5 x16, no PFC". Each phrase is a row here.
 * Phrases that match no row are returned: the answer lists them as not understood.
 */
import { nics } from '../../core/hardware/index.ts'
import { NCCL_PROTOCOLS } from '../../core/workload/nccl/cost-model.ts'

/** Facts of a fabric; an absent one is unknown. */
export interface Facts {
  readonly servers?: number
  /** NICs and GPUs of a server. */
  readonly nics?: number
  readonly gpus?: number
  /** "H100". */
  readonly gpu?: string
  readonly rateBps?: number
  readonly link?: 'ib' | 'roce'
  readonly mtuBytes?: number
  /** Name of a profile. */
  readonly nic?: string
  readonly pcieGeneration?: number
  readonly pcieLanes?: number
  readonly maxPayloadBytes?: number
  /** Measured or known rate between memory and NIC. */
  readonly hostBps?: number
  /** Between two hosts; 0: a cable alone. */
  readonly switches?: number
  /** Switches above the leaves, each joined to all of these; 0: none, each rail has one switch. */
  readonly spines?: number
  /** The one link between switches that all traffic shares. */
  readonly trunkBps?: number
  readonly hasPfc?: boolean
  readonly hasEcn?: boolean
  readonly hasSlowRestart?: boolean
  /** One NIC alone, measured with perftest. */
  readonly oneNicBps?: number
  /** Path of a device to the memory: "mlx5_1" is "PHB". */
  readonly paths?: Readonly<Record<string, string>>
  /** NCCL_ALGO and NCCL_PROTO, where they force one. */
  readonly algorithm?: 'ring' | 'tree'
  readonly protocol?: 'LL' | 'LL128' | 'Simple'
}
export type FactName = keyof Facts

const COUNTS: Readonly<Record<string, number>> = { no: 0, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, eight: 8 }
const NUMBER = String.raw`(\d+|no|one|two|three|four|five|six|eight)`
/** At least one. */
const SOME = String.raw`([1-9]\d*|one|two|three|four|five|six|eight)`
const RATE = String.raw`(\d+(?:\.\d+)?)\s*G(?:b\/s|bps|bE|E|bit\/s)?`
const NIC = String.raw`(?:ConnectX|CX)[- ]?([4-8])(?:[ -]?[DL]x)?`

/** Payloads of RDMA, and what they need of the MTU of an Ethernet port: IPv6, UDP, BTH, RETH and ICRC. */
const PAYLOADS_BYTES = [4096, 2048, 1024, 512, 256]
const HEADERS_BYTES = 80
const payloadOf = (mtuBytes: number): number =>
  PAYLOADS_BYTES.find((payload) => payload === mtuBytes || payload + HEADERS_BYTES <= mtuBytes) ?? 256

const PROTOCOLS = new Map(NCCL_PROTOCOLS.map((name) => [name.toLowerCase(), name] as const))

const whole = (word: string): number => COUNTS[word.toLowerCase()] ?? Number(word)
const giga = (digits: string): number => Number(digits) * 1e9

interface Phrase {
  readonly pattern: RegExp
  readonly facts: (found: readonly string[]) => Facts
}
const phrase = (pattern: string, facts: Phrase['facts']): Phrase => ({
  pattern: new RegExp(String.raw`(?<![\w.])${pattern}(?![\w])`, 'gi'),
  facts,
})

/** In this order: what is taken by one is not seen by the next. */
const PHRASES: readonly Phrase[] = [
  phrase('NCCL_ALGO=(Ring|Tree)', ([, word]) => ({ algorithm: word!.toLowerCase() === 'ring' ? 'ring' : 'tree' })),
  phrase('NCCL_PROTO=(LL128|LL|Simple)', ([, word]) => ({ protocol: PROTOCOLS.get(word!.toLowerCase())! })),
  phrase(String.raw`roce_slow_restart_en\s*[:=]?\s*([01])`, ([, bit]) => ({ hasSlowRestart: bit === '1' })),
  phrase(String.raw`(\w+)\s+(PIX|PXB|PHB|NODE|SYS)`, ([, device, path]) => ({
    paths: { [device!]: path!.toUpperCase() },
  })),
  phrase(String.raw`perftest[^:,;]*one NIC:?\s*(\d+(?:\.\d+)?)\s*Gb\/s`, ([, rate]) => ({ oneNicBps: giga(rate!) })),
  phrase(`${RATE}\\s+each by PCIe`, ([, rate]) => ({ hostBps: giga(rate!) })),
  phrase(`(?:one )?trunk of ${RATE}`, ([, rate]) => ({ trunkBps: giga(rate!) })),
  phrase(String.raw`([1-9]\d*)\s*x\s*${RATE}`, ([, count, rate]) => ({ nics: Number(count), rateBps: giga(rate!) })),
  phrase(String.raw`(?:x\s*)?${SOME}\s*(?:servers?|nodes?|hosts?|machines?)`, ([, count]) => ({
    servers: whole(count!),
  })),
  phrase(String.raw`(?:x\s*)?${SOME}\s*NICs?(?: (?:a|per) server)?`, ([, count]) => ({ nics: whole(count!) })),
  phrase(String.raw`${SOME}\s*GPUs?(?: (?:a|per) server)?`, ([, count]) => ({ gpus: whole(count!) })),
  phrase(String.raw`(GB[23]00|GH200|[BH][12]00|H800|H20|A[18]00|V100)(?:s| GPUs?)?`, ([, gpu]) => ({
    gpu: gpu!.toUpperCase(),
  })),
  phrase(RATE, ([, rate]) => ({ rateBps: giga(rate!) })),
  phrase(String.raw`(?:InfiniBand|IB)`, () => ({ link: 'ib' })),
  phrase(String.raw`(?:RoCE(?:v2)?|Ethernet)`, () => ({ link: 'roce' })),
  phrase(String.raw`MTU\s*[:=]?\s*(\d{3,5})`, ([, bytes]) => ({ mtuBytes: payloadOf(Number(bytes)) })),
  phrase(String.raw`(?:PCIe\s*)?Gen\s?([3-7])\s*x\s?(\d+)`, ([, generation, lanes]) => ({
    pcieGeneration: Number(generation),
    pcieLanes: Number(lanes),
  })),
  phrase(String.raw`MaxPayload(?:Size)?\s*[:=]?\s*(128|256|512|1024|2048|4096)`, ([, bytes]) => ({
    maxPayloadBytes: Number(bytes),
  })),
  phrase(NIC, ([, number]) => ({ nic: `connectx-${number}` })),
  phrase(String.raw`BlueField[- ]?([2-4])`, ([, number]) => ({ nic: `bluefield-${number}` })),
  phrase('E810', () => ({ nic: 'e810' })),
  phrase(String.raw`(?:no switch|cross-connected|back to back|direct (?:link|cable))`, () => ({ switches: 0 })),
  phrase(`(?:through )?${NUMBER} switch(?:es)?`, ([, count]) => ({ switches: whole(count!) })),
  phrase(`${NUMBER} spines?(?: switches)?`, ([, count]) => ({ spines: whole(count!) })),
  phrase('nothing configured', () => ({ hasPfc: false, hasEcn: false })),
  phrase('(no )?PFC', ([, not]) => ({ hasPfc: not === undefined })),
  phrase('(no )?ECN', ([, not]) => ({ hasEcn: not === undefined })),
]
/** Words that carry nothing by themselves. */
const FILLERS =
  /^(?:x|a|an|and|by|of|the|with|per|each|port|ports|one|flow|rail|server|unknown|nvidia-smi|topo|-m|roce_accl)$/i
const TEXT_MAX = 4000

/** Facts of a line or a few, and the phrases that none is in. */
export function factsIn(text: string): { readonly facts: Facts; readonly left: readonly string[] } {
  let facts: Facts = {}
  let rest = text.slice(0, TEXT_MAX)
  for (const { pattern, facts: factsOf } of PHRASES) {
    rest = rest.replaceAll(pattern, (...found: string[]) => {
      const { paths, ...plain } = factsOf(found)
      facts = { ...facts, ...plain, ...(paths !== undefined && { paths: { ...facts.paths, ...paths } }) }
      return ' '
    })
  }
  const left = rest
    .split(/[,;:\n]+/)
    .map((part) =>
      part
        .trim()
        .split(/\s+/)
        .filter((word) => !FILLERS.test(word))
        .join(' '),
    )
    .filter((part) => part !== '')
  return { facts, left }
}

/** Names of profiles that a fact may have. */
export const NIC_NAMES: readonly string[] = nics.map(({ name }) => name)

/** Names by which people set facts and see them, where they are not those of the program. */
const KEYS: Readonly<Partial<Record<FactName, string>>> = {
  rateBps: 'rate',
  mtuBytes: 'mtu',
  hostBps: 'host',
  trunkBps: 'trunk',
  hasPfc: 'pfc',
  hasEcn: 'ecn',
  hasSlowRestart: 'slowRestart',
  pcieGeneration: 'pcie.generation',
  pcieLanes: 'pcie.lanes',
  maxPayloadBytes: 'pcie.maxPayload',
  oneNicBps: 'one NIC alone',
}
export const keyOf = (name: FactName): string => KEYS[name] ?? name

/** The fact of a key. */
export function factNamed(key: string): FactName {
  const names = Object.keys(KEYS) as FactName[]
  return names.find((name) => KEYS[name] === key) ?? (key as FactName)
}
