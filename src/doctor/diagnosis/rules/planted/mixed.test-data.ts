/**
 * Another clean fabric: a leaf of each other language with one host, and a spine of EOS between them.
 */
import { edgesOf, type Files, host } from './clean.test-data.ts'

const NX_OS = `!Command: show running-config
version 10.3(4a) Bios:version
hostname leaf-n
class-map type qos match-all C-RDMA
  match dscp 26
class-map type qos match-all C-CNP
  match dscp 48
policy-map type qos P-IN
  class C-RDMA
    set qos-group 3
  class C-CNP
    set qos-group 6
  class class-default
    set qos-group 0
policy-map type network-qos P-NQ
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing P-OUT
  class type queuing c-out-8q-q6
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
system qos
  service-policy type network-qos P-NQ
  service-policy type queuing output P-OUT
priority-flow-control watch-dog-interval on
interface Ethernet1/1
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input P-IN
  no shutdown
interface Ethernet1/33
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input P-IN
  no shutdown
`

const eos = (name: string, ports: readonly string[]): string => `! Command: show running-config
! device: ${name} (DCS-7060X6, EOS-4.33.1F)
!
hostname ${name}
!
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
qos map traffic-class 3 to tx-queue 3
qos map traffic-class 6 to tx-queue 6
!
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 0.20
priority-flow-control pause watchdog default polling-interval 0.10
priority-flow-control pause watchdog action drop
!
qos profile P-ROCE
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 60
      bandwidth guaranteed percent 10
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 1024 kbytes max-mark-probability 20 weight 0
   !
   uc-tx-queue 6
      priority strict
!
${ports.map((port) => `interface ${port}\n   mtu 9214\n   no switchport\n   qos trust dscp\n   service-profile P-ROCE\n!\n`).join('')}end
`

const OS10 = `! Version 10.5.6.1
!
hostname leaf-o
!
wred W-ECN
 random-detect color green minimum-threshold 150 maximum-threshold 1500 drop-probability 100
 random-detect ecn
!
class-map type network-qos CM-Q3
 match qos-group 3
!
class-map type queuing CM-T3
 match queue 3
class-map type queuing CM-T6
 match queue 6
!
trust dscp-map TM-ROCE
 qos-group 3 dscp 26
 qos-group 6 dscp 48
!
qos-map traffic-class QM
 queue 3 qos-group 3
 queue 6 qos-group 6
!
policy-map type network-qos PM-PFC
 !
 class CM-Q3
  pause
  pfc-cos 3
!
policy-map type queuing PM-ETS
 !
 class CM-T3
  bandwidth percent 60
  random-detect W-ECN
 class CM-T6
  priority
!
system qos
 trust-map dscp TM-ROCE
!
${['ethernet1/1/1', 'ethernet1/1/31']
  .map(
    (port) =>
      `interface ${port}\n no switchport\n mtu 9216\n flowcontrol receive off\n flowcontrol transmit off\n priority-flow-control mode on\n service-policy input type network-qos PM-PFC\n service-policy output type queuing PM-ETS\n ets mode on\n qos-map traffic-class QM\n no shutdown\n!\n`,
  )
  .join('')}`

const JUNOS = `system {
    host-name leaf-j;
    arp {
        aging-timer 5;
    }
}
protocols {
    l2-learning {
        global-mac-table-aging-time 600;
    }
}
forwarding-options {
    enhanced-hash-key {
        ecmp-dlb {
            assigned-flow;
        }
    }
}
interfaces {
    et-0/0/10 {
        speed 400g;
        mtu 9216;
    }
    et-0/0/63 {
        speed 400g;
        mtu 9216;
    }
}
class-of-service {
    classifiers {
        dscp CL-ROCE {
            forwarding-class CNP {
                loss-priority low code-points 110000;
            }
            forwarding-class NO-LOSS {
                loss-priority low code-points 011010;
            }
        }
    }
    drop-profiles {
        DP-ECN {
            interpolate {
                fill-level [ 20 60 ];
                drop-probability [ 0 80 ];
            }
        }
    }
    shared-buffer {
        ingress {
            buffer-partition lossless {
                percent 60;
                dynamic-threshold 8;
            }
            buffer-partition lossless-headroom {
                percent 30;
            }
            buffer-partition lossy {
                percent 10;
            }
        }
    }
    forwarding-classes {
        class CNP queue-num 6;
        class NO-LOSS queue-num 4 no-loss pfc-priority 3;
    }
    congestion-notification-profile {
        PFC3 {
            pfc-watchdog;
            input {
                cable-length 40;
                dscp {
                    code-point 011010 {
                        pfc;
                    }
                }
            }
            output {
                ieee-802.1 {
                    code-point 011 {
                        flow-control-queue 4;
                    }
                }
            }
        }
    }
    interfaces {
        et-* {
            congestion-notification-profile PFC3;
            scheduler-map SM;
            unit * {
                classifiers {
                    dscp CL-ROCE;
                }
            }
        }
    }
    scheduler-maps {
        SM {
            forwarding-class CNP scheduler S-CNP;
            forwarding-class NO-LOSS scheduler S-ROCE;
        }
    }
    schedulers {
        S-ROCE {
            drop-profile-map loss-priority any protocol any drop-profile DP-ECN;
            explicit-congestion-notification;
        }
        S-CNP {
            transmit-rate percent 5;
            priority strict-high;
        }
    }
}
`

const NVUE = `- header:
    model: x
    nvue-api-version: nvue_v1
- set:
    system:
      hostname: leaf-c
    qos:
      roce:
        mode: lossless
        cable-length: 40
    interface:
      swp1,31:
        link:
          mtu: 9216
        qos:
          pfc-watchdog:
            state: enable
`

const SPINE_PORTS = ['Ethernet1/1', 'Ethernet2/1', 'Ethernet3/1', 'Ethernet4/1', 'Ethernet5/1'] as const

export const MIXED: Files = {
  'edges.csv': edgesOf([
    'h1,eth1,leaf-n,Ethernet1/1,5',
    'h2,eth1,leaf-e,Ethernet1/1,5',
    'h3,eth1,leaf-o,ethernet1/1/1,5',
    'h4,eth1,leaf-j,et-0/0/10,5',
    'h5,eth1,leaf-c,swp1,5',
    `leaf-n,Ethernet1/33,spine,${SPINE_PORTS[0]},40`,
    `leaf-e,Ethernet31/1,spine,${SPINE_PORTS[1]},40`,
    `leaf-o,ethernet1/1/31,spine,${SPINE_PORTS[2]},40`,
    `leaf-j,et-0/0/63,spine,${SPINE_PORTS[3]},40`,
    `leaf-c,swp31,spine,${SPINE_PORTS[4]},40`,
  ]),
  ...host('h1', 'leaf-n', 'Ethernet1/1'),
  ...host('h2', 'leaf-e', 'Ethernet1/1'),
  ...host('h3', 'leaf-o', 'ethernet1/1/1'),
  ...host('h4', 'leaf-j', 'et-0/0/10'),
  ...host('h5', 'leaf-c', 'swp1'),
  'leaf-n/running-config.cfg': NX_OS,
  'leaf-e/running-config.cfg': eos('leaf-e', ['Ethernet1/1', 'Ethernet31/1']),
  'leaf-o/running-config.cfg': OS10,
  'leaf-j/running.conf': JUNOS,
  'leaf-c/nvue.yaml': NVUE,
  'spine/running-config.cfg': eos('spine', SPINE_PORTS),
}
