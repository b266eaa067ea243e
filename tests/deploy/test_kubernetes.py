"""The Kubernetes manifests: valid, and in agreement with the service, its image and each other."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import laizi
from laizi_service.settings import Settings
from tests.deploy.processes import DEPLOY, checked

FOLDER = DEPLOY / "kubernetes"
FILES = sorted(FOLDER.glob("*.yaml"))
OBJECTS: dict[str, Any] = {
    made["kind"]: made for file in FILES for made in yaml.safe_load_all(file.read_text(encoding="utf-8"))
}
DEPLOYMENT = OBJECTS["Deployment"]["spec"]
POD = DEPLOYMENT["template"]["spec"]
(CONTAINER,) = POD["containers"]
SETTINGS = Settings.load({entry["name"]: entry["value"] for entry in CONTAINER["env"]})
PORTS = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
DOCKERFILE = (DEPLOY.parent / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.registry
@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_kubernetes_validate_finds_no_fault(file):
    checked(Path(sys.executable).with_name("kubernetes-validate"), "--strict", file)


def test_there_is_what_a_service_needs():
    assert set(OBJECTS) == {
        "Deployment",
        "HorizontalPodAutoscaler",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Service",
    }


def test_a_pod_has_time_to_drain():
    """Kubernetes kills it after the grace period: the drain must be over, and Python gone."""
    assert POD["terminationGracePeriodSeconds"] >= SETTINGS.drain_seconds + SETTINGS.grace_seconds + 5


def test_a_draining_pod_is_seen_before_it_stops():
    probe = CONTAINER["readinessProbe"]
    seen = probe["periodSeconds"] * probe["failureThreshold"]
    # The rest is for the news to reach the name server and those who balance.
    assert SETTINGS.drain_seconds >= seen + 5


def test_ports_are_those_that_the_service_listens_on():
    assert {"grpc": SETTINGS.port, "metrics": SETTINGS.metrics_port} == PORTS
    assert {port["name"]: port["port"] for port in OBJECTS["Service"]["spec"]["ports"]} == PORTS
    assert {port["targetPort"] for port in OBJECTS["Service"]["spec"]["ports"]} == set(PORTS)
    opened = {port["port"] for rule in OBJECTS["NetworkPolicy"]["spec"]["ingress"] for port in rule["ports"]}
    assert opened == set(PORTS)
    assert CONTAINER["livenessProbe"]["grpc"]["port"] == SETTINGS.port
    for probe in ("readinessProbe", "startupProbe"):
        assert CONTAINER[probe]["httpGet"] == {"path": "/ready", "port": "metrics"}


def test_every_object_means_the_pods_of_the_deployment():
    labels = DEPLOYMENT["template"]["metadata"]["labels"]
    selectors = (
        DEPLOYMENT["selector"]["matchLabels"],
        OBJECTS["Service"]["spec"]["selector"],
        OBJECTS["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        OBJECTS["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
        POD["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"],
    )
    assert all(selector == labels for selector in selectors)
    scaled = OBJECTS["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    assert scaled == {"apiVersion": "apps/v1", "kind": "Deployment", "name": OBJECTS["Deployment"]["metadata"]["name"]}
    assert "replicas" not in DEPLOYMENT, "each new roll-out would undo what the autoscaler decided"


def test_a_node_that_is_drained_leaves_pods_that_serve():
    autoscaler = OBJECTS["HorizontalPodAutoscaler"]["spec"]
    assert autoscaler["minReplicas"] > OBJECTS["PodDisruptionBudget"]["spec"]["maxUnavailable"]
    assert "cpu" in CONTAINER["resources"]["requests"], "utilization is a share of the request"


def test_a_pod_may_do_nothing_that_the_service_does_not_need():
    context = POD["securityContext"]
    assert context["runAsNonRoot"] is True
    assert f"USER {context['runAsUser']}:{context['runAsGroup']}" in DOCKERFILE
    assert CONTAINER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert POD["automountServiceAccountToken"] is False
    assert OBJECTS["NetworkPolicy"]["spec"]["egress"] == []


def test_a_service_of_the_same_name_cannot_stop_the_start():
    """Kubernetes tells pods of services by variables like LAIZI_PORT, and the settings refuse them."""
    assert POD["enableServiceLinks"] is False


def test_the_image_is_that_of_this_version():
    (version,) = re.findall(r"^laizi:(.+)$", CONTAINER["image"])
    assert version == laizi.__version__
