/**
 * Parameters of VLANs, of the field that a NIC trusts, and of the longest frame that a port takes.
 * Declarations only; fabric/vlan/ and lab/network/port-checks.ts read the values.
 */
import { choice, count, group, list, sizeOrOff, text } from '../../base/params.ts'

export const PORT_MODES = ['off', 'access', 'trunk', 'hybrid'] as const

/** Tier from which on switches route, by its name; Infinity: none does. */
export const LAYER3_TIERS = { tor: 1, leaf: 2, spine: 3, none: Infinity } as const

export const switchVlanParams = group(
  {
    ports: choice(PORT_MODES, {
      default: 'off',
      per: 'port',
      help: 'off: no VLANs, frames have a tag everywhere (classes.classify pcp) or nowhere; access: untagged frames only; trunk: tagged frames only; hybrid: takes both and sends the kind that the other end takes, as a trunk with a native VLAN does. Links between two switches that route are untagged whatever this says',
      source: '[MS-Scale] section 3',
    }),
    layer3At: choice(['tor', 'leaf', 'spine', 'none'], {
      default: 'tor',
      help: 'lowest tier of switches that route between subnets; a frame that is routed loses the priority of its tag. Hosts on ports of one router are one subnet, and so is what is below each other port of it',
      source: '[MS-Scale] section 3: all switches including the ToRs route',
    }),
    untaggedClass: count({
      default: 0,
      max: 7,
      per: 'switch',
      help: 'class of untagged frames at a switch that reads the class from the PCP',
      source: '802.1Q 6.9.3: default priority of a port',
    }),
  },
  { help: 'VLANs on the ports of switches' },
)

export const nicVlanParam = choice(['as-port', 'tagged', 'untagged'], {
  default: 'as-port',
  per: 'host',
  help: 'frames of a NIC where switches have VLANs. as-port: as the port of the switch takes them; tagged: with a tag, and the NIC drops untagged ones; untagged: a NIC without VLAN configuration, as during PXE boot: it drops tagged ones',
  source: '[MS-Scale] section 3',
})

export const nicTrustParam = choice(['dscp', 'pcp'], {
  default: 'dscp',
  per: 'host',
  help: 'field from which a NIC takes the class of its own packets. pcp: frames without a tag are class 0 in the NIC, whatever their DSCP says: pauses of other classes do not hold them back',
  source: 'adapters: trust mode of ports; 802.1Q: a frame without a tag has the default priority',
})

export const nicTrafficClassesParam = list(text({ help: '"PORT: CLASS" or "FROM-TO: CLASS"' }), {
  default: [],
  help: 'class of messages by their UDP or TCP destination port, where the workload gives none; the first line that fits holds; others are of classes.data',
  source: '[MS-Scale] 5.1',
})

/** @param per kind of device whose ports have it */
export const mtuParam = (per: 'port' | 'host') =>
  sizeOrOff({
    default: null,
    min: 64,
    max: 16_384,
    per,
    help: 'longest packet that a port takes, without the 18 bytes of Ethernet header and FCS and without a tag; longer frames are dropped on arrival; off: any length',
    source: '802.3; switches count them as oversize',
  })
