# Hosts on Nomad, one for each port of a node that is free: nomad job run deploy/fleet/nomad.hcl
# The client's max_kill_timeout must be as long as kill_timeout, or games end with it.
job "w3host" {
  type = "service"
  group "host" {
    count = 3
    network {
      mode = "host"
      port "game" {}
    }
    update {
      max_parallel = 1
      health_check = "task_states"
    }
    task "w3host" {
      driver       = "docker"
      kill_signal  = "SIGTERM"
      kill_timeout = "4h"
      config {
        image        = "w3host:latest"
        network_mode = "host"
        volumes      = ["/srv/w3host/maps:/maps:ro", "local/config.toml:/config.toml:ro"]
      }
      template {
        destination = "local/config.toml" # with fleet.enabled = true and host.on_stop = "drain"
        data        = "{{ key \"w3host/config.toml\" }}"
      }
      template {
        destination = "secrets/env"
        env         = true
        data        = "PGPASSWORD={{ key \"w3host/password\" }}"
      }
      env {
        W3HOST_CONFIG             = "/config.toml"
        W3HOST_HOST_LISTEN        = "${NOMAD_IP_game}:${NOMAD_PORT_game}"
        W3HOST_HOST_DATA_DIR      = "/alloc/data"
        W3HOST_WEB_ENABLED        = "false"
        W3HOST_DATABASE_URL       = "postgres://w3host@db.example.org/w3host"
        W3HOST_DATABASE_HOST_NAME = "${node.unique.name}-${NOMAD_ALLOC_INDEX}"
      }
    }
  }
}
