//! The simulator's session: its inputs while the tab is open.

use gbac_analysis::HypotheticalChanges;
use gbac_console_model::simulator::inputs::Inputs;
use gbac_console_model::simulator::panel::Panel;
use gbac_console_model::simulator::request::RequestForm;
use gbac_console_model::simulator::saved::Saved;
use leptos::prelude::*;
use serde_json::{Map, Value};

/// What is entered in the simulator, also while other pages are open; a context of the console. It ends with the tab.
#[derive(Clone, Copy)]
pub struct SimulatorSession {
    /// What is entered; other pages try their settings on the same token.
    pub inputs: RwSignal<Inputs>,
    /// The other person, to compare with.
    pub other: RwSignal<Inputs>,
    /// The changes that are tried.
    pub trials: RwSignal<HypotheticalChanges>,
    /// The whole request.
    pub request: RwSignal<RequestForm>,
    /// The saved tests.
    pub saved: RwSignal<Vec<Saved>>,
    /// The parts that are open.
    pub open: RwSignal<Vec<Panel>>,
    /// The service's properties, as far as it said; they tell whose tokens it accepts.
    pub properties: RwSignal<Map<String, Value>>,
}

impl SimulatorSession {
    /// Nothing entered yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            inputs: RwSignal::new(Inputs::default()),
            other: RwSignal::new(Inputs::default()),
            trials: RwSignal::new(HypotheticalChanges::default()),
            request: RwSignal::new(RequestForm::default()),
            saved: RwSignal::new(Vec::new()),
            open: RwSignal::new(vec![Panel::WhatIf]),
            properties: RwSignal::new(Map::new()),
        }
    }
}

impl Default for SimulatorSession {
    fn default() -> Self {
        Self::new()
    }
}
