/** Rules about hosts. */
import { fabricHosts } from '../../../core/findings/index.ts'
import { otherEnd } from '../../devices/joins/index.ts'
import { knownOf, nicHeadroomBytes, type Plain, type Value } from '../../../core/device-model/index.ts'
import { isGlobalPauseIdle } from './counts.ts'
import { jobOf, mayCarryJob } from './jobs.ts'
import {
  allPortsUp,
  dscpsInUse,
  dscpsOf,
  evidence,
  hostLinks,
  linksUp,
  losslessClassOf,
  nameOf,
  nicOf,
  peerOf,
  usualOf,
} from './look.ts'
import { defineRule } from './rule.ts'

const { cnp02, ecn06, hst02, hst03, hst05, map03, map06, pfc06, wd06 } = fabricHosts

/** Where nobody knows the DSCP of RoCE: 26, as guides have it, or else any. */
const USUAL_DSCPS: readonly number[] = [26, ...Array.from({ length: 64 }, (_, dscp) => dscp)]

export const nicTrustsDscp = defineRule(map03, ({ fabric }, say, kind) => {
  for (const { host, peer } of hostLinks(fabric)) {
    const own = host.config?.settings
    const trust = say.known(host, 'trust', own?.trust)
    if (trust === undefined || trust === 'dscp' || trust === 'both') continue
    const peerTrust = say.known(peer, 'trust', peer.config?.settings.trust)
    if (peerTrust === undefined) continue
    // A switch that reads tags, too, gets them or not.
    const mode = knownOf(own!.vlanMode) ?? knownOf(peer.config!.settings.vlanMode)
    if (peerTrust !== 'dscp' && mode !== 'tagged' && mode !== 'untagged') {
      say.lacks(host, 'vlanMode')
      continue
    }
    const dscps = [...dscpsOf(host), ...dscpsInUse(fabric), ...USUAL_DSCPS]
    const dscp = dscps.find((one) => losslessClassOf(peer, one) !== undefined) ?? null
    const there = dscp === null ? null : losslessClassOf(peer, dscp)!
    // A NIC that sends tags itself has them to read.
    const hasTags = knownOf(own!.vlanMode) === 'tagged'
    say.judge((peerTrust === 'dscp' && !hasTags) || mode === 'untagged', kind, host, () => ({
      values: { trust, peerTrust, peer: nameOf(peer), dscp, there },
      evidence: [...evidence(host, own!.trust), ...evidence(peer, peer.config?.settings.trust)],
    }))
  }
})

export const roceIsLossless = defineRule(map06, ({ fabric }, say, kind) => {
  for (const host of allPortsUp(fabric, 'host')) {
    const own = host.config.settings
    // Where tags decide, all of it is another rule's.
    if (knownOf(own.trust) !== 'dscp') continue
    const lossless = say.known(host, 'pfcClasses', own.pfcClasses)
    if (lossless === undefined || lossless.length === 0) continue
    const [dscp] = dscpsOf(host)
    if (dscp === undefined) {
      say.lacks(host, 'nic.sysfsTclass')
      continue
    }
    const priority = say.known(host, 'dscpToClass', own.dscpToClass[dscp])
    if (priority === undefined) continue
    const there = losslessClassOf(peerOf(host), dscp)
    say.judge(!lossless.includes(priority), kind, host, () => ({
      values: { dscp, priority, lossless, there: there !== undefined && lossless.includes(there) ? there : null },
      evidence: evidence(host, own.dscpToClass[dscp], own.pfcClasses, nicOf(host).sysfsTclass, jobOf(host).ncclIbTc),
      // A job that leaves it at 0 may rely on the kernel, of which nothing is known.
      severity: dscp === 0 && knownOf(nicOf(host).sysfsTclass) === undefined ? 'warning' : 'error',
    }))
  }
})

/** Queue pairs that the GPU drives (NCCL_GIN_TYPE). */
const GPU_DRIVEN = 3

/** Traffic classes of other libraries than NCCL, where somebody has set them. */
const OTHER_CLASSES = [
  ['NVSHMEM_IB_TRAFFIC_CLASS', 'nvshmemIbTc'],
  ['UCX_IB_TRAFFIC_CLASS', 'ucxIbTc'],
] as const

export const oneTrafficClass = defineRule(hst05, ({ fabric }, say, kind) => {
  for (const host of allPortsUp(fabric, 'host')) {
    const { sysfsTclass, cmaTclass } = nicOf(host)
    if (!mayCarryJob(host)) continue
    const job = jobOf(host)
    const [kernel, cma, nccl] = [sysfsTclass, cmaTclass, job.ncclIbTc].map((value) => knownOf(value))
    const gin = knownOf(job.ncclGinIbTc) ?? nccl
    const isGpuDriven = knownOf(job.ncclGinType) === GPU_DRIVEN
    // The override of the kernel holds for all queue pairs but those that the GPU drives.
    const sources = [
      ...(kernel === undefined ? [] : [{ name: 'traffic_class', tclass: kernel, value: sysfsTclass }]),
      ...(cma === undefined ? [] : [{ name: 'cma_roce_tos', tclass: cma, value: cmaTclass }]),
      ...(nccl === undefined || (kernel !== undefined && job.ncclIbTc.state !== 'set')
        ? []
        : [{ name: 'NCCL_IB_TC', tclass: nccl, value: job.ncclIbTc }]),
      ...(!isGpuDriven || gin === undefined
        ? []
        : [
            {
              name: 'NCCL_GIN_IB_TC',
              tclass: gin,
              value: job.ncclGinIbTc.state === 'unknown' ? job.ncclIbTc : job.ncclGinIbTc,
            },
          ]),
      ...OTHER_CLASSES.flatMap(([name, field]) => {
        const tclass = knownOf(job[field])
        return tclass === undefined || job[field].state !== 'set' ? [] : [{ name, tclass, value: job[field] }]
      }),
    ]
    if (sources.length < 2) continue
    const isOdd = new Set(sources.map(({ tclass }) => tclass >> 2)).size > 1
    say.judge(isOdd, kind, host, () => ({
      values: { sources: sources.map(({ name, tclass }) => ({ name, tclass })) },
      evidence: evidence(host, ...sources.map(({ value }) => value)),
      severity: isGpuDriven || cma !== undefined ? 'error' : 'warning',
    }))
  }
})

export const noGlobalPause = defineRule(pfc06, ({ fabric }, say, kind) => {
  for (const link of linksUp(fabric)) {
    const pfc = link.ends.map(({ config }) => knownOf(config?.settings.pfcClasses))
    const hasPfc = pfc.some((classes) => classes !== undefined && classes.length > 0)
    for (const end of link.ends) {
      const settings = end.config?.settings
      const isHost = end.at?.config.kind === 'host'
      const [takes, sends] = isHost
        ? [
            say.known(end, 'takesGlobalPause', settings?.takesGlobalPause),
            say.known(end, 'sendsGlobalPause', settings?.sendsGlobalPause),
          ]
        : [knownOf(settings?.takesGlobalPause), knownOf(settings?.sendsGlobalPause)]
      if (takes === undefined && sends === undefined) continue
      say.judge(takes === true || sends === true, kind, end, () => ({
        values: { takes: takes === true, sends: sends === true },
        evidence: evidence(end, settings?.takesGlobalPause, settings?.sendsGlobalPause),
        severity: isGlobalPauseIdle(fabric, end, otherEnd(link, end)) ? 'note' : hasPfc ? 'error' : 'warning',
      }))
    }
  }
})

/** Switches that advertise no DCBX. Source: lldpd, which they run, has none. */
const WITHOUT_DCBX: readonly string[] = ['sonic']

export const nobodyElseSets = defineRule(hst03, ({ fabric }, say, kind) => {
  for (const { host, peer } of hostLinks(fabric)) {
    const { dcbx, hasLldpad, isWilling } = nicOf(host)
    const [own, far] = [knownOf(host.config?.settings.pfcClasses), knownOf(peer.config?.settings.pfcClasses)]
    const isUnequal = own !== undefined && far !== undefined && own.join() !== far.join()
    const isOdd = {
      firmware: knownOf(dcbx) === 'firmware' && !WITHOUT_DCBX.includes(peer.at?.config.language ?? ''),
      willing: knownOf(isWilling) === true && isUnequal,
      lldpad: knownOf(hasLldpad) === true,
    }
    const values = { firmware: dcbx, willing: isWilling, lldpad: hasLldpad }
    for (const why of ['firmware', 'willing', 'lldpad'] as const)
      if (values[why].state !== 'unknown')
        say.judge(isOdd[why], kind, host, () => ({ values: { why }, evidence: evidence(host, values[why]) }))
  }
})

/** Smallest that an interface of RoCE has. */
const MTU_LEAST_BYTES = 1500

export const receiveBuffers = defineRule(hst02, ({ fabric }, say, kind) => {
  for (const host of allPortsUp(fabric, 'host')) {
    const { bufferBytes, bufferOfClass } = nicOf(host)
    const [sizes, buffers] = [knownOf(bufferBytes), knownOf(bufferOfClass)]
    const { settings } = host.config
    const lossless = knownOf(settings.pfcClasses)
    if ((lossless?.length ?? 0) > 0 && (sizes === undefined || buffers === undefined))
      say.lacks(host, 'nic.bufferBytes')
    if (sizes === undefined || buffers === undefined || lossless === undefined) continue
    const [rateBps, mtu] = [knownOf(settings.rateBps), knownOf(settings.mtuBytes)]
    const listedM = host.link?.cableM ?? NaN
    const cableM = Number.isNaN(listedM) ? knownOf(settings.cableM) : listedM
    const isLeast = rateBps === undefined || cableM === undefined || typeof mtu !== 'number'
    const needBytes = nicHeadroomBytes(rateBps ?? 0, cableM ?? 0, typeof mtu === 'number' ? mtu : MTU_LEAST_BYTES)
    for (const priority of lossless) {
      const buffer = buffers[priority]!
      const isShared = buffers.some((other, c) => other === buffer && !lossless.includes(c))
      const sizeBytes = sizes[buffer] ?? 0
      const isSmall = sizeBytes < needBytes
      say.judge(isShared || isSmall, kind, host, () => ({
        values: { priority, lossless, sizeBytes, needBytes: isSmall ? needBytes : null, isLeast, isShared },
        evidence: evidence(host, bufferOfClass, bufferBytes),
      }))
    }
  }
})

export const marksHaveEffect = defineRule(ecn06, ({ fabric }, say, kind) => {
  for (const host of allPortsUp(fabric, 'host')) {
    const { npClasses, rpClasses, hasOtherControl } = nicOf(host)
    const lossless = knownOf(host.config.settings.pfcClasses)
    if (lossless === undefined || lossless.length === 0 || knownOf(hasOtherControl) === true) continue
    const [np, rp] = [say.known(host, 'nic.npClasses', npClasses), say.known(host, 'nic.rpClasses', rpClasses)]
    if (np === undefined && rp === undefined) continue
    for (const priority of lossless)
      say.judge(np?.includes(priority) === false || rp?.includes(priority) === false, kind, host, () => ({
        values: { priority, np: np?.includes(priority) ?? null, rp: rp?.includes(priority) ?? null },
        evidence: evidence(host, npClasses, rpClasses),
      }))
  }
})

export const sameCnps = defineRule(cnp02, ({ fabric }, say, kind) => {
  for (const field of ['cnpDscp', 'cnpClass'] as const) {
    const hosts = hostLinks(fabric).map(({ host }) => ({ host, value: nicOf(host)[field] }))
    const usual = usualOf(hosts.flatMap(({ value }) => knownOf(value) ?? []))
    for (const { host, value } of hosts) {
      const here = say.known(host, `nic.${field}`, value)
      if (here === undefined || usual === undefined) continue
      say.judge(here !== usual, kind, host, () => ({ values: { field, here, usual }, evidence: evidence(host, value) }))
    }
  }
})

const WATCHDOG_MOST_PS = 1e12

export const nicWatchdog = defineRule(wd06, ({ fabric }, say, kind) => {
  for (const { host } of hostLinks(fabric)) {
    const value: Value<number | string> = nicOf(host).pauseWatchdogPs
    const detectionPs = say.known<Plain>(host, 'nic.pauseWatchdogPs', value) as number | string | undefined
    if (detectionPs === undefined) continue
    say.judge(typeof detectionPs === 'string' || detectionPs > WATCHDOG_MOST_PS, kind, host, () => ({
      values: { detectionPs },
      evidence: evidence(host, value),
    }))
  }
})
