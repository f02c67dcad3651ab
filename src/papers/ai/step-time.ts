/**
 * Step time: known pictures of AI traffic, each with what arithmetic or measurements of others let one expect of it:
 * collisions of ECMP, one slow NIC, rails, the incast of an all-to-all under PFC, a neighbour on the same fabric.
 */
import { defineExperiment } from '../core/experiment.ts'
import { collisions } from './collisions.ts'
import { exchange } from './exchange.ts'
import { jobMeasures } from './picture.ts'
import { rails } from './rails.ts'
import { slowNic } from './slow-nic.ts'
import { JOB, tenant } from './tenant.ts'

const PICTURES = [collisions, slowNic, rails, exchange, tenant]
const namedPicture = (name: unknown) => PICTURES.find((picture) => picture.name === name)!

export const stepTime = defineExperiment({
  name: 'step-time',
  title: 'Why a training step is slow: five pictures of AI traffic',
  source:
    'expectations of ours, by formula or of a published order of magnitude; Thakur et al. (2005) for the algorithms',
  help:
    'Collectives over 100 Gb/s links, with packets of 4096 bytes, no time for reduction, and enough capacity in every fabric for all that its hosts send. Collisions: a ring and a halving-doubling all-reduce under ECMP and under ' +
    'packet spraying with IRN, by channels and by the order of ranks. Slow NICs: hosts with half the rate in a ring. Rails: servers with eight ports on rails and on a fat tree. Exchange: all-to-all under PFC, in turn and as an incast. ' +
    'Neighbour: two jobs on one fabric. A time is that from the first packet to the last acknowledgement.',
  sizes: { small: '8 to 16 hosts and 1 to 32 MiB', full: '8 to 32 hosts and 4 to 64 MiB' },
  points: (size, seed) => PICTURES.flatMap(({ points }) => points(size, seed)),
  measure: (result, point) => {
    const picture = namedPicture(point.at['picture'])
    return { ...jobMeasures(result, picture === tenant ? JOB : undefined), ...picture.more(point) }
  },
  conclude(runs, size) {
    const all = PICTURES.map(({ name, conclude }) => conclude(runs.where({ picture: name }), size))
    return {
      tables: all.flatMap(({ tables }) => tables),
      figures: all.flatMap(({ figures = [] }) => figures),
      claims: all.flatMap(({ claims }) => claims),
      remarks: all.flatMap(({ remarks }) => remarks),
    }
  },
  claimsOf: 'ours',
})
