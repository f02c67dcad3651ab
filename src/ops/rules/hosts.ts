/** Rules about hosts. */
import { fabricHosts } from '../../findings/index.ts'
import { type End, otherEnd } from '../devices/index.ts'
import { knownOf, type JobSettings, type Plain, UNKNOWN_JOB, type Value } from '../model/index.ts'
import { isGlobalPauseIdle } from './counts.ts'
import { dscpsOf, evidence, hostLinks, hostSettingsOf, linksUp, nameOf, nicOf, usualOf } from './look.ts'
import { defineRule } from './rule.ts'
import type { Spot } from './saying.ts'
import { watchdogAt } from './watchdogs.ts'

const { cnp02, ecn06, hst02, hst03, hst05, hst08, hst09, hst10, map03, map06, pfc06, wd06 } = fabricHosts

const jobOf = ({ at }: End): JobSettings => (at === null ? undefined : hostSettingsOf(at)?.job) ?? UNKNOWN_JOB

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
    say.judge(peerTrust === 'dscp' || mode === 'untagged', kind, host, {
      values: { trust, peerTrust, peer: nameOf(peer) },
      evidence: [...evidence(host, own!.trust), ...evidence(peer, peer.config?.settings.trust)],
    })
  }
})

export const roceIsLossless = defineRule(map06, ({ fabric }, say, kind) => {
  for (const { host } of hostLinks(fabric)) {
    const own = host.config?.settings
    // Where tags decide, all of it is another rule's.
    if (own === undefined || knownOf(own.trust) !== 'dscp') continue
    const lossless = say.known(host, 'pfcClasses', own.pfcClasses)
    if (lossless === undefined || lossless.length === 0) continue
    const [dscp] = dscpsOf(host)
    if (dscp === undefined) {
      say.lacks(host, 'nic.sysfsTclass')
      continue
    }
    const priority = say.known(host, 'dscpToClass', own.dscpToClass[dscp])
    if (priority === undefined) continue
    say.judge(!lossless.includes(priority), kind, host, {
      values: { dscp, priority, lossless },
      evidence: evidence(host, own.dscpToClass[dscp], own.pfcClasses, nicOf(host).sysfsTclass, jobOf(host).ncclIbTc),
      // A job that leaves it at 0 may rely on the kernel, of which nothing is known.
      severity: dscp === 0 && knownOf(nicOf(host).sysfsTclass) === undefined ? 'warning' : 'error',
    })
  }
})

/** Queue pairs that the GPU drives (NCCL_GIN_TYPE). */
const GPU_DRIVEN = 3

export const oneTrafficClass = defineRule(hst05, ({ fabric }, say, kind) => {
  for (const { host } of hostLinks(fabric)) {
    const { sysfsTclass, cmaTclass } = nicOf(host)
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
    ]
    if (sources.length < 2) {
      if (sources.length === 1 && host.at !== null && hostSettingsOf(host.at)?.job === undefined) say.lacks(host, 'job')
      continue
    }
    const isOdd = new Set(sources.map(({ tclass }) => tclass >> 2)).size > 1
    say.judge(isOdd, kind, host, {
      values: { sources: sources.map(({ name, tclass }) => ({ name, tclass })) },
      evidence: evidence(host, ...sources.map(({ value }) => value)),
      severity: isGpuDriven || cma !== undefined ? 'error' : 'warning',
    })
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
      say.judge(takes === true || sends === true, kind, end, {
        values: { takes: takes === true, sends: sends === true },
        evidence: evidence(end, settings?.takesGlobalPause, settings?.sendsGlobalPause),
        severity: isGlobalPauseIdle(fabric, end, otherEnd(link, end)) ? 'note' : hasPfc ? 'error' : 'warning',
      })
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
      say.judge(isOdd[why], kind, host, { values: { why }, evidence: evidence(host, values[why]) })
  }
})

export const receiveBuffers = defineRule(hst02, ({ fabric, headroomNeed }, say, kind) => {
  for (const { host, link } of hostLinks(fabric)) {
    const { bufferBytes, bufferOfClass } = nicOf(host)
    const [sizes, buffers] = [knownOf(bufferBytes), knownOf(bufferOfClass)]
    const settings = host.config?.settings
    const lossless = knownOf(settings?.pfcClasses)
    if (sizes === undefined || buffers === undefined || lossless === undefined) continue
    for (const priority of lossless) {
      const buffer = buffers[priority]!
      const isShared = buffers.some((other, c) => other === buffer && !lossless.includes(c))
      const [rateBps, mtu] = [knownOf(settings!.rateBps), knownOf(settings!.mtuBytes)]
      const cableM = Number.isNaN(link.cableM) ? knownOf(settings!.cableM) : link.cableM
      const need =
        rateBps === undefined || cableM === undefined || typeof mtu !== 'number'
          ? undefined
          : headroomNeed({ platform: '', rateBps, cableM, mtuBytes: mtu })
      const sizeBytes = sizes[buffer] ?? 0
      const isSmall = need !== undefined && sizeBytes < need.leastBytes
      say.judge(isShared || isSmall, kind, host, {
        values: { priority, sizeBytes, needBytes: isShared ? null : (need?.leastBytes ?? 0) },
        evidence: evidence(host, bufferOfClass, bufferBytes),
      })
    }
  }
})

export const gidIsRouted = defineRule(hst08, ({ fabric }, say, kind) => {
  for (const { host } of hostLinks(fabric)) {
    const index = knownOf(jobOf(host).ncclIbGidIndex)
    if (index === undefined || index < 0 || jobOf(host).ncclIbGidIndex.state === 'default') continue
    const gids = say.known(host, 'nic.gids', nicOf(host).gids)
    if (gids === undefined) continue
    const { version, address } = gids.find((gid) => gid.index === index) ?? { version: '', address: '' }
    const isRouted = version === 'v2' && !address.startsWith('fe80:')
    say.judge(!isRouted, kind, host, {
      values: { index, version, address },
      evidence: evidence(host, jobOf(host).ncclIbGidIndex, nicOf(host).gids),
    })
  }
})

/**
 * Whether a list of NCCL_IB_HCA ("=mlx5_1:1,mlx5_2") takes a port of a device: "mlx4_0/2", or "mlx4_0" for its first port.
 * Source: NCCL documentation, NCCL_IB_HCA.
 */
function isTaken(list: string, rdmaPort: string): boolean {
  const [, sign = '', names = ''] = /^(\^=|=|\^)?(.*)$/.exec(list) ?? []
  const [device = '', port = '1'] = rdmaPort.split('/')
  const isNamed = names.split(',').some((one) => {
    const [name = '', ofPort = port] = one.trim().split(':')
    return name !== '' && ofPort === port && (sign.includes('=') ? device === name : device.startsWith(name))
  })
  return sign.startsWith('^') ? !isNamed : isNamed
}

export const hcaIsThere = defineRule(hst09, ({ fabric }, say, kind) => {
  for (const at of fabric.devices.values()) {
    const job = hostSettingsOf(at)?.job
    const list = knownOf(job?.ncclIbHca)
    if (list === undefined || list === '') continue
    const devices = at.config.ports.flatMap((port) => {
      const { rdmaDevice, isActive } = nicOf({ config: port })
      const name = knownOf(rdmaDevice)
      return name === undefined || isActive.state === 'unknown' ? [] : [{ name, isActive: isActive.value }]
    })
    const spot: Spot = { device: at.config.device, port: '', at }
    if (devices.length === 0) {
      say.lacks(spot, 'nic.isActive')
      continue
    }
    const active = devices.filter(({ isActive }) => isActive).map(({ name }) => name)
    say.judge(!active.some((device) => isTaken(list, device)), kind, spot, {
      values: { list, devices: active },
      evidence: evidence(spot, job!.ncclIbHca),
    })
  }
})

/** Beyond it a fault hangs a job unseen. */
const RETRY_MOST_PS = 120e12

export const retriesOutliveStorms = defineRule(hst10, ({ fabric }, say, kind) => {
  for (const { host, peer } of hostLinks(fabric)) {
    const job = jobOf(host)
    const [timeout, retries] = [knownOf(job.ncclIbTimeout), knownOf(job.ncclIbRetryCount)]
    if (timeout === undefined || retries === undefined || timeout === 0) continue
    // IBTA 9.7.6.1.3.
    const retryPs = 4.096e6 * 2 ** timeout * (retries + 1)
    const watchdog = watchdogAt(peer)
    const [detectionPs, restorationPs] = [knownOf(watchdog.detectionPs), knownOf(watchdog.restorationPs)]
    const watchdogPs =
      detectionPs === undefined || typeof restorationPs !== 'number' ? null : detectionPs + restorationPs
    const isShort = watchdogPs !== null && retryPs < watchdogPs
    say.judge(isShort || retryPs > RETRY_MOST_PS, kind, host, {
      values: { retryPs, watchdogPs: isShort ? watchdogPs : null },
      evidence: evidence(host, job.ncclIbTimeout, job.ncclIbRetryCount),
    })
  }
})

export const marksHaveEffect = defineRule(ecn06, ({ fabric }, say, kind) => {
  for (const { host } of hostLinks(fabric)) {
    const { npClasses, rpClasses, hasOtherControl } = nicOf(host)
    const lossless = knownOf(host.config?.settings.pfcClasses)
    if (lossless === undefined || lossless.length === 0 || knownOf(hasOtherControl) === true) continue
    const [np, rp] = [say.known(host, 'nic.npClasses', npClasses), say.known(host, 'nic.rpClasses', rpClasses)]
    if (np === undefined && rp === undefined) continue
    for (const priority of lossless)
      say.judge(np?.includes(priority) === false || rp?.includes(priority) === false, kind, host, {
        values: { priority, np: np?.includes(priority) ?? null, rp: rp?.includes(priority) ?? null },
        evidence: evidence(host, npClasses, rpClasses),
      })
  }
})

export const sameCnps = defineRule(cnp02, ({ fabric }, say, kind) => {
  for (const field of ['cnpDscp', 'cnpClass'] as const) {
    const hosts = hostLinks(fabric).map(({ host }) => ({ host, value: nicOf(host)[field] }))
    const usual = usualOf(hosts.flatMap(({ value }) => knownOf(value) ?? []))
    for (const { host, value } of hosts) {
      const here = knownOf(value)
      if (here === undefined || usual === undefined) continue
      say.judge(here !== usual, kind, host, { values: { field, here, usual }, evidence: evidence(host, value) })
    }
  }
})

const WATCHDOG_MOST_PS = 1e12

export const nicWatchdog = defineRule(wd06, ({ fabric }, say, kind) => {
  for (const { host } of hostLinks(fabric)) {
    const value: Value<number | string> = nicOf(host).pauseWatchdogPs
    const detectionPs = knownOf<Plain>(value) as number | string | undefined
    if (detectionPs === undefined) continue
    say.judge(typeof detectionPs === 'string' || detectionPs > WATCHDOG_MOST_PS, kind, host, {
      values: { detectionPs },
      evidence: evidence(host, value),
    })
  }
})
