/** Faults of switches. */
import { isNvidia } from '../desired.ts'
import type { Fault } from './fault.ts'
import {
  dscpMap,
  hasLikePorts,
  hasOthers,
  hasTellingHost,
  HEADROOM,
  lossyBesideLossless,
  noHeadroom,
  noMarks,
  ofLossless,
  otherClass,
  typo,
  xoffBytes,
} from './values.ts'

export const SWITCHES: readonly Fault[] = [
  { rule: 'ref01', title: 'a name with a typo', where: 'switch', found: 'device', edit: 'dangling name' },
  {
    rule: 'pfc02',
    title: 'headroom for another priority than PFC',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: (site) => {
      const other = otherClass(site)
      const own = site.port.settings.classes[site.design.lossless]!
      const moved = Object.fromEntries(
        HEADROOM.map((field) => [`classes.${other}.${field}`, 'value' in own[field] ? own[field].value : null]),
      )
      return {
        ...noHeadroom(site),
        [`classes.${other}.group`]: other,
        [`classes.${other}.hasHeadroom`]: true,
        ...moved,
      }
    },
  },
  {
    rule: 'pfc03',
    title: 'pauses that stop another queue',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'junos'],
    values: (site) => ofLossless(site, { pausedQueue: otherClass(site) }),
  },
  {
    rule: 'pfc05',
    title: 'lossy traffic in the queue of RoCE',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'os10'],
    values: lossyBesideLossless,
  },
  {
    rule: 'pfc05',
    title: 'lossy traffic in the queue of RoCE at all ports',
    where: 'switch',
    isOfDevice: true,
    found: 'port',
    languages: ['nvue', 'eos', 'junos'],
    values: lossyBesideLossless,
  },
  {
    rule: 'pfc05',
    title: 'lossy traffic in the priority group of RoCE',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: ({ design: { lossless } }) => ({ 'classes.0.group': lossless }),
  },
  {
    rule: 'map04',
    title: 'a port at which nothing classifies',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'nx-os', 'eos', 'os10', 'junos'],
    also: ['map02', 'map01', 'cnp01'],
    values: () => ({ classifies: false, trust: null, ...dscpMap(() => null) }),
  },
  {
    rule: 'wd01',
    title: 'a port to a host without watchdog',
    where: 'leaf',
    found: 'device',
    values: (site) => ofLossless(site, { isWatched: false }),
  },
  {
    rule: 'wd02',
    title: 'a watchdog that polls too rarely',
    where: 'switch',
    // Others count their times in polls.
    languages: ['sonic', 'eos'],
    isOfDevice: true,
    found: 'device',
    deviceValues: ({ design: { detectionPs } }) => ({ 'watchdog.pollPs': 2 * detectionPs }),
  },
  {
    rule: 'fld01',
    title: 'flooding of lossless packets',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    isDecidable: ({ device }) => isNvidia(device.platform),
    deviceValues: () => ({ floodsLossless: true }),
  },
  {
    rule: 'map01',
    title: 'a typo in the DSCP of a spine',
    where: 'spine',
    isOfDevice: true,
    found: 'links',
    values: ({ design }) => ({ [`dscpToClass.${design.dscp}`]: 0, [`dscpToClass.${typo(design)}`]: design.lossless }),
  },
  {
    rule: 'adr01',
    title: 'packets sprayed over paths',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    isDecidable: hasTellingHost,
    deviceValues: () => ({ balance: 'spray' }),
  },
]

export const BUFFERS: readonly Fault[] = [
  {
    rule: 'buf01',
    title: 'headroom for a shorter cable',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: (site) => ofLossless(site, { headroomBytes: Math.floor(site.needBytes * site.draw.between(0.3, 0.8)) }),
  },
  {
    rule: 'buf02',
    title: 'a cable of a length that the table does not have',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    deviceValues: ({ config, port }) => {
      const table = 'headroomTable' in config.settings ? config.settings.headroomTable : undefined
      const length = 'value' in port.settings.cableM ? port.settings.cableM.value : NaN
      return {
        headroomTable:
          table !== undefined && 'value' in table ? table.value.filter(({ cableM }) => cableM !== length) : null,
      }
    },
  },
  {
    rule: 'buf11',
    title: 'PFC without headroom',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'junos'],
    also: ['buf02'],
    values: noHeadroom,
  },
  {
    rule: 'buf07',
    title: 'an egress queue that drops before pauses begin',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: (site) => ofLossless(site, { dropsAtEgress: true }),
  },
  {
    rule: 'buf08',
    title: 'pauses that end where they begin',
    where: 'switch',
    found: 'port',
    values: (site) => ofLossless(site, { xonBytes: 0, xonOffsetBytes: 0 }),
  },
  {
    rule: 'ecn01',
    title: 'marks that begin above XOFF',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    also: ['ecn04'],
    values: (site) =>
      ofLossless(site, {
        kminBytes: Math.ceil((1.2 * xoffBytes(site.design)) / 1000) * 1000,
        kmaxBytes: Math.ceil((1.5 * xoffBytes(site.design)) / 1000) * 1000,
      }),
  },
  {
    rule: 'ecn03',
    title: 'a lossless queue without marks',
    where: 'switch',
    found: 'port',
    values: noMarks,
  },
  {
    rule: 'ecn07',
    title: 'a switch of the path without marks',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    also: ['ecn03'],
    isDecidable: hasOthers,
    values: noMarks,
  },
  {
    rule: 'buf04',
    title: 'a port with another alpha',
    where: 'switch',
    found: 'port',
    also: ['buf05', 'ecn01', 'ecn02'],
    isDecidable: hasLikePorts,
    values: (site) => ofLossless(site, { alpha: site.design.alpha / 4 }),
  },
]
